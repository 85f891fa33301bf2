// The rules of PTB tokens. Their order matters only between rules that match equally much.
#include "captioning/scoring/words/ptb/rules.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "captioning/scoring/words/ptb/symbols.h"

namespace saccade::ptb {

namespace {

// What the rules are made of (pattern.h has the syntax).
constexpr std::string_view kDefinitions = R"re(
# Letters, digits, space
latin      = [A-Za-z]
upper      = [A-Z] | upper_letter
alpha      = latin | upper_letter | other_letter
letter     = alpha | mark | soft | '&' [aeiouAEIOU] ('acute' | 'grave' | 'uml') ';'
digit      = [0-9] | other_digit
alnum      = [A-Za-z0-9]
apostrophe = "'" | right_apostrophe | '&apos;'
apos_like  = apostrophe | '`' | left_apostrophe
space      = [ \t\_] | wide_space
gap        = space | [\n]
amp        = '&' | '&amp;'

# Words
word       = letter (letter | digit)* ([.!?] letter (letter | digit)*)*
before_nt  = ([A-Za-z] | soft)* [A-MO-Za-mo-z] soft*
nt         = 'n' apos_like 't'
clitic     = apostrophe ([msdMSD] | 're' | 've' | 'll')
apos_word  = apostrophe 'n' apostrophe? | [lLdDjJ] apostrophe
  | ('dunkin' | 'somethin' | 'ol') apostrophe | apostrophe ('em' | 'til' 'l'? | 'cause' | [2-9] '0s')
  | [A-HJ-XZn] apos_like alpha{2} alpha*
  | alpha alpha* [aeiouyAEIOUY] apos_like [aeiouA-Z] alpha*
  | 'cont' apostrophe 'd' '.'? | 'nor' apostrophe 'easter' | 'c' apostrophe 'mon'
  | 'e' apostrophe 'er' | 's' apostrophe 'mores' | 'ev' apostrophe 'ry' | 'li' apostrophe 'l'
  | 'nat' apostrophe 'l' | 'o' apostrophe 'o'
elided     = [dDoOlL] apos_like alnum
joint      = [\-_] | unicode_hyphen
thing      = elided? alnum+ (joint elided? alnum+)*
slashed    = alnum+ ('-' latin+){0,2} ('\'? '/' alnum+ ('-' latin+){0,2}){1,2}
joined     = [A-Z]+ (('+' | amp) [A-Z]+)+
special    = '-' ('lrb' | 'rrb' | 'lcb' | 'rcb' | 'lsb' | 'rsb') '-' | 'c.d.s' | 'pro-' | 'anti-'
  | 's' amp ('p-500' | 'ls') | 'cap' apostrophe 'n' | 'c' apostrophe 'est' | 'c++' | ('c' | 'f') '#'
shouted    = ('e' | 'yahoo' | 'jeopardy') '!'

# Numbers
number     = [+\-]? (digit+ | digit* (([.:,] | soft | arabic_separator) digit+)+)
date       = digit{1,2} [\-/] digit{1,2} [\-/] digit{2,4}
raised     = raised_sign? (super_digit+ | sub_digit+)
fraction   = (digit{1,4} [ \-\_])? digit{1,4} ('\'? '/' | fraction_slash) digit{1,4}
phone      = ('(' [0-9]{2,3} ')' [ \_]? | ('+' '+'?)? ([0-9]{2,4} [ \-\_])? [0-9]{2,4} [ \-\_])
    [0-9]{3,4} [ \-\_]? [0-9]{3,5}
  | (('+' '+'?)? [0-9]{2,4} '.')? [0-9]{2,4} '.' [0-9]{3,4} '.' [0-9]{3,5}

# Mark-up and the web
tag_name   = latin [A-Za-z0-9_:.\-]*
tag_value  = ['"] [^'"\n]* ['"]
tag        = '<' ([!?] [A-Za-z\-] [^>\n]*
    | '/'? tag_name (' '+ (tag_name | tag_name ' '* '=' ' '* tag_value | tag_value))* ' '* '/'? ' '*)
    '>'
url_end    = [^ \t\n"<>|.!?(){},\-]
url        = 'http' 's'? '://' [^ \t\n"<>|(){}]+ url_end
site       = 'www.' ([^ \t\n"<>|.!?(){},]+ '.')+ [a-zA-Z]{2,4}
  | ([^ \t\n"`'<>|.!?(){},-_$]+ '.')+ ('com' | 'net' | 'org' | 'edu')
path       = '/' [^ \t\n"<>|()]+ url_end
email      = ('&lt;' | '<')? alnum [^ \t\n"<>|(){}\_]* '@' ([^ \t\n"<>|(){}.\_]+ '.')*
    [^ \t\n"<>|(){}.\_]+ ('&gt;' | '>')?
file       = (letter | digit)+ ('.' (letter | digit)+)* '.' ('bat' | 'bmp' | 'c' | 'class' | 'cgi'
  | 'cpp' | 'dll' | 'doc' | 'docx' | 'exe' | 'gif' | 'gz' | 'h' | 'htm' | 'html' | 'jar' | 'java'
  | 'jpeg' | 'jpg' | 'mov' | 'mp3' | 'pdf' | 'php' | 'pl' | 'png' | 'ppt' | 'ps' | 'py' | 'sql'
  | 'tar' | 'txt' | 'wav' | 'wmv' | 'x' | 'xml' | 'zip')

# Abbreviations: those that often end a sentence, those that never do, those before numbers
land       = ('canada' | 'sino' | 'korean' | 'eu' | 'japan' | 'non') '-u.s'
  | 'u.s.-' ('u.k' | 'u.s.s.r')
acronym    = latin ('.' latin)* | land
acronym2   = latin ('.' latin)+ | land
hyphenated = alnum ([A-Za-z0-9.,] | soft)* ('-' (([A-Za-z0-9] | soft)+ | acronym2 '.'))+
day        = 'jan' | 'feb' | 'mar' | 'apr' | 'jun' | 'jul' | 'aug' | 'sep' | 'sept' | 'oct' | 'nov'
  | 'dec' | 'mon' | 'tue' | 'tues' | 'wed' | 'thu' | 'thurs' | 'fri'
state      = 'ala' | 'ariz' | [A] 'rk' | 'calif' | 'colo' | 'conn' | 'ct' | 'dak' | [D] 'el' | 'fla'
  | 'ga' | [I] 'll' | 'ind' | 'kan' | 'kans' | 'ky' | [L] 'a' | [M] 'ass' | 'md' | 'mich' | 'minn'
  | [M] 'iss' | 'mo' | 'mont' | 'neb' | 'nev' | 'okla' | [O] 're' | [P] 'a' | 'penn' | 'tenn'
  | [T] 'ex' | 'va' | 'vt' | [W] 'ash' | 'wis' | 'wisc' | 'wyo'
company    = 'inc' | 'co' | 'cos' | 'corp' | 'p' 'p'? 't' [ye] 's'? | 'ltd' | 'plc'
  | 'rt' | 'bancorp' | 'dept' | 'bhd' | 'assn' | 'univ' | 'intl' | 'sys'
closing    = (day | state | company | 'tel' | 'est' | 'ext' | 'sq' | 'jr' | 'sr' | 'bros'
  | ('ed' | 'ph') '.d' | 'blvd' | 'rd' | 'esq' | 'etc' | 'al' | 'seq' | 'bldg') '.'
title      = 'mr' | 'mrs' | 'ms' | [M] 'iss' | 'dr' 's'? | 'prof' 's'? | 'sen' 's'?
  | 'rep' 's'? | 'atty' 's'? | 'lt' | 'col' | 'gen' | 'messrs' | 'gov' 's'? | 'adm' | 'rev' | 'maj'
  | 'sgt' | 'cpl' | 'pvt' | 'capt' | 'st' | 'ste' | 'ave' | 'pres' | 'lieut' | 'hon' | 'brig'
  | 'cmdr' | 'comdr' | 'pfc' | 'spc' | 'supt' 's'? | 'det' | 'mt' | 'ft' | 'adj' | 'adv' | 'asst'
  | 'assoc' | 'ens' | 'insp' | 'mlle' | 'mme' | 'msgr' | 'sfc'
opening    = (title | 'vs' | 'alex' | 'wm' | 'jos' | 'cie' | 'a.k.a' | 'cf' | 'treas' | acronym
  | 'invt' | 'elec' | 'natl' | 'm' [ft] 'g') '.'
counting   = ('ca' | 'fig' 's'? | 'prop' | 'no' 's'? | 'art' | 'bldg' | 'pp' | 'op') '.'
# With a capital they start a sentence, even after an acronym.
starter    = [A] | [A] ('bout' | 'ccording' | 'dditionally' | 'fter' | 'n' | 's' | 't') | [B] 'ut'
  | [E] 'arlier' | [H] ('e' | 'er' | 'ere' | 'owever') | [I] ('f' | 'n' | 't') | [L] 'ast'
  | [M] ('any' | 'ore' | 'r.' | 's.') | [N] 'ow' | [O] ('nce' | 'ne' | 'ther' | 'ur')
  | [S] ('he' | 'ince' | 'o' | 'ome' | 'uch')
  | [T] ('hat' | 'he' | 'heir' | 'hen' | 'here' | 'hese' | 'hey' | 'his')
  | [W] ('e' | 'hen' | 'hile' | 'hat') | [Y] ('et' | 'ou')

# Punctuation
smiley     = [<>]? [:;=] [\-o*']? [()DPdpO\\{@|[\]]
asian      = [\^x=~<>] '.' [\^x=~<>] | [\-\^x=~<>'] '_' [\-\^x=~<>']
  | '(' [\-\^x=~<>'] [_.]? [\-\^x=~<>'] ')'
dots       = '.'{3,5} | ('.' [ \_]){2,4} '.' | ellipsis
clause     = [,;:] | comma
double     = '"' | '&quot;'
quotes     = apostrophe | "''" | ('`' | left_apostrophe | right_apostrophe | quote){1,2}
)re";

// What is read again after a token: nothing; its period, which the token keeps; or its last two or
// three letters, which the token then lacks.
enum class Tail { kNone, kPeriodTwice, kLessTwo, kLessThree };

struct Rule {
  Kind kind;
  const char* token;
  const char* follow = "";  // what has to come next, but is no part of the token
  Tail tail = Tail::kNone;
};

constexpr Rule kRules[] = {
    {Kind::kTag, "tag"},
    {Kind::kDash, "'&' ('md' | 'mdash' | 'ndash') ';' | dash"},
    {Kind::kEntity, "'&amp;'"},
    {Kind::kWord, "'&' ('ht' | 'tl' | [ul] 'r' | 'q' [clr] | [oc] 'dq' | '#' [0-9]+) ';'"},
    {Kind::kWord, "'cannot'", "", Tail::kLessThree},
    {Kind::kWord, "'gonna' | 'gotta' | 'lemme' | 'gimme' | 'wanna'", "", Tail::kLessTwo},
    {Kind::kWord, "apostrophe 'tis'", "", Tail::kLessTwo},
    {Kind::kWord, "apostrophe 'twas'", "", Tail::kLessThree},
    {Kind::kWord, "word", "clitic"},
    {Kind::kWord, "before_nt", "nt"},
    {Kind::kWord, "word"},
    {Kind::kWord, "apos_word"},
    {Kind::kWord, "'y' apostrophe", "alpha"},
    {Kind::kWord, "url"},
    {Kind::kWord, "site path?"},
    {Kind::kWord, "email"},
    {Kind::kWord, "'@' [A-Za-z_] [A-Za-z_0-9]*"},
    {Kind::kWord, "'#' letter+"},
    {Kind::kRightQuote, "clitic", "[^A-Za-z]"},
    {Kind::kRightQuote, "nt", "[^A-Za-z]"},
    {Kind::kWord, "date"},
    {Kind::kWord, "number"},
    {Kind::kWord, "raised"},
    {Kind::kFraction, "fraction"},
    {Kind::kFraction, "fraction_sign"},
    {Kind::kEntity, "special"},
    {Kind::kWord, "shouted"},
    {Kind::kWord, "slashed"},
    {Kind::kWord, "[A-Z]* '$' | '#'"},
    {Kind::kCurrency, "currency"},
    {Kind::kWord, "acronym '.'", "gap+ starter gap", Tail::kPeriodTwice},
    {Kind::kWord, "counting", "gap? digit"},
    {Kind::kWord, "('pt' [ey] | 'co') '.'", "space ('ltd' | 'lim')"},
    {Kind::kWord, "closing", "gap gap", Tail::kPeriodTwice},
    {Kind::kWord, "closing", "gap (upper | tag)", Tail::kPeriodTwice},
    {Kind::kWord, "closing", "[^]{2}"},
    {Kind::kWord, "closing", "", Tail::kPeriodTwice},  // at the end of the last line
    {Kind::kWord, "opening"},
    {Kind::kRightQuote, "apostrophe [0-9]{2}", "gap"},
    {Kind::kWord, "file", "gap | [.?!,\"'<]"},
    {Kind::kWord, "word '.'", "clause"},
    {Kind::kBrackets, "phone"},
    {Kind::kLeftQuote, "double", "[A-Za-z0-9$]"},
    {Kind::kRightQuote, "double"},
    {Kind::kLess, "'<' | '&lt;'"},
    {Kind::kGreater, "'>' | '&gt;'"},
    {Kind::kBrackets, "smiley", "[^A-Za-z0-9]"},
    {Kind::kBrackets, "asian"},
    {Kind::kBrackets, "[()[\\]{}]"},
    {Kind::kDash, "'-'{3,4}"},
    {Kind::kWord, "'-'+"},
    {Kind::kEllipsis, "dots"},
    {Kind::kWord, "'@'+ | '#'+ | '_'+ | '*'+ | ('\\' '*'){1,3}"},
    {Kind::kWord, "clause"},
    {Kind::kWord, "[?!]+ | [.=/] | stop"},
    {Kind::kWord, "hyphenated", "[^a-zA-Z0-9.+]"},
    {Kind::kWord, "hyphenated '.'", "clause"},
    {Kind::kWord, "hyphenated"},
    {Kind::kWord, "thing"},
    {Kind::kEntity, "joined '.'", "clause"},
    {Kind::kEntity, "joined"},
    {Kind::kLeftQuote, "\"'\"", "latin [^ \\t\\n\\_]"},
    {Kind::kRightQuote, "clitic"},
    {Kind::kRightQuote, "quotes"},
    {Kind::kWord, "'<<' | '>>'"},
    {Kind::kWord, "[+%&~^|\\\\] | sign | fraction_slash | raised_sign"},
    {Kind::kNothing, "space+ | invisible | '&nbsp;'"},
};

constexpr std::pair<const char*, Symbol> kSymbolNames[] = {
    {"upper_letter", Symbol::kUpperLetter},
    {"other_letter", Symbol::kOtherLetter},
    {"mark", Symbol::kMark},
    {"other_digit", Symbol::kDigit},
    {"soft", Symbol::kSoftHyphen},
    {"wide_space", Symbol::kWideSpace},
    {"invisible", Symbol::kInvisible},
    {"dash", Symbol::kDash},
    {"left_apostrophe", Symbol::kLeftApostrophe},
    {"right_apostrophe", Symbol::kRightApostrophe},
    {"quote", Symbol::kQuote},
    {"ellipsis", Symbol::kEllipsis},
    {"currency", Symbol::kCurrency},
    {"fraction_sign", Symbol::kFraction},
    {"fraction_slash", Symbol::kFractionSlash},
    {"arabic_separator", Symbol::kArabicSeparator},
    {"super_digit", Symbol::kSuperDigit},
    {"sub_digit", Symbol::kSubDigit},
    {"raised_sign", Symbol::kRaisedSign},
    {"comma", Symbol::kComma},
    {"stop", Symbol::kStop},
    {"unicode_hyphen", Symbol::kHyphen},
    {"sign", Symbol::kSign},
};

// All rules as one automaton, and each rule with a `follow` as two, to find where its token ends.
struct Lexer {
  Automaton rules;
  struct Split {
    Automaton token, follow;
  };
  std::vector<std::unique_ptr<Split>> splits;  // by rule; none where nothing has to follow

  // The number of the token's symbols in a match of a rule: as many as leave what has to follow.
  std::size_t token_length(std::size_t rule, std::string_view matched) const {
    if (splits[rule] == nullptr) return matched.size();
    const std::vector<std::size_t> lengths = splits[rule]->token.accepted_lengths(matched);
    const auto found = std::find_if(lengths.rbegin(), lengths.rend(), [&](std::size_t length) {
      return splits[rule]->follow.accepts(matched.substr(length));
    });
    return *found;  // a match of the whole rule guarantees that there is one
  }
};

Lexer make_lexer() {
  Definitions definitions;
  for (const auto& [name, symbol] : kSymbolNames) {
    SymbolSet set;
    set.set(static_cast<std::size_t>(symbol));
    definitions.define(name, set);
  }
  definitions.read(kDefinitions);
  std::vector<PatternPtr> whole;
  std::vector<std::unique_ptr<Lexer::Split>> splits;
  for (const Rule& rule : kRules) {
    const PatternPtr token = definitions.parse(rule.token);
    const PatternPtr follow = definitions.parse(rule.follow);
    const bool looks_ahead = *rule.follow != '\0';
    whole.push_back(std::make_shared<const Pattern>(
        Pattern{.kind = Pattern::Kind::kSequence, .symbols = {}, .parts = {token, follow}}));
    splits.push_back(looks_ahead ? std::make_unique<Lexer::Split>(Lexer::Split{
                                       Automaton({&token, 1}), Automaton({&follow, 1})})
                                 : nullptr);
  }
  return {Automaton(whole), std::move(splits)};
}

}  // namespace

Match match(std::string_view symbols, std::size_t start, DeadEnds& dead_ends) {
  static const Lexer lexer = make_lexer();
  const Automaton::Longest longest = lexer.rules.longest(symbols, start, dead_ends);
  if (longest.pattern == Automaton::kNone) return {};
  const auto number = static_cast<std::size_t>(longest.pattern);
  const Rule& rule = kRules[number];
  const std::size_t length = lexer.token_length(number, symbols.substr(start, longest.length));
  switch (rule.tail) {
    case Tail::kNone:
      break;
    case Tail::kPeriodTwice:
      // "K. The": a single letter loses its period to the sentence, while "U.S. The" keeps one of
      // its own.
      return {rule.kind, length == 2 ? 1 : length, length - 1};
    case Tail::kLessTwo:
      return {rule.kind, length - 2, length - 2};
    case Tail::kLessThree:
      return {rule.kind, length - 3, length - 3};
  }
  return {rule.kind, length, length};
}

}  // namespace saccade::ptb
