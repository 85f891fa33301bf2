#include "core/io/tensor_pickle.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <span>

#include "core/base/error.h"

namespace saccade {

namespace {

using Number = std::int64_t;
using Ref = std::size_t;  // of a value

enum class Kind { kNone, kNumber, kFraction, kText, kList, kDict, kGlobal, kStorage, kTensor };

// A value of the pickle. Lists hold their parts, dictionaries a key and a value in turns.
struct Value {
  Kind kind = Kind::kNone;
  Number number = 0;
  std::string text{};  // of a text; the name of a global; the key of a storage
  std::vector<Ref> parts{};
  PickledTensor tensor{};  // of a tensor, and the type and the numbers of a storage
};

constexpr const char* kOrderedDict = "collections OrderedDict";
constexpr const char* kTensor = "torch._utils _rebuild_tensor_v2";
constexpr const char* kParameter = "torch._utils _rebuild_parameter";

constexpr struct {
  const char* global;
  const char* type;
} kStorages[] = {{"torch FloatStorage", "F32"},     {"torch HalfStorage", "F16"},
                 {"torch BFloat16Storage", "BF16"}, {"torch DoubleStorage", "F64"},
                 {"torch LongStorage", "I64"},      {"torch IntStorage", "I32"},
                 {"torch ShortStorage", "I16"},     {"torch CharStorage", "I8"},
                 {"torch ByteStorage", "U8"},       {"torch BoolStorage", "BOOL"}};

const char* storage_type(const std::string& global) {
  for (const auto& known : kStorages)
    if (global == known.global) return known.type;
  return nullptr;
}

bool is_known(const std::string& global) {
  return global == kOrderedDict || global == kTensor || global == kParameter ||
         storage_type(global) != nullptr;
}

// What stands for a text in a message of one line.
std::string in_message(std::string text) {
  constexpr std::size_t kMost = 80;
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E) c = '?';
  return "'" + text + "'";
}

class PickleReader {
 public:
  PickleReader(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  TensorPickle read() {
    while (!done_) step(static_cast<unsigned char>(take(1)[0]));
    TensorPickle out;
    out.bytes = at_;
    const Value& whole = values_[pop()];
    if (whole.kind == Kind::kList)
      for (const Ref part : whole.parts)
        if (values_[part].kind == Kind::kText) out.texts.push_back(values_[part].text);
    if (whole.kind == Kind::kTensor) out.tensors.push_back(whole.tensor);
    collect(whole, "", 0, out);
    for (const auto& [key, storage] : storages_) out.storages.push_back(storage);
    return out;
  }

 private:
  [[noreturn]] void damaged(const std::string& why) const {
    throw DataError(
        str(source_, ": its pickle is damaged (", why, " at byte ", at_, "); copy it again"));
  }
  [[noreturn]] void refuse(const std::string& what) const {
    throw DataError(
        source_ + ": its pickle asks for " + what +
        ", which tensors do not need; nothing of it was run, and the file is not read (save the "
        "weights alone, as safetensors or with torch.save(model.state_dict(), FILE))");
  }

  std::string_view take(std::size_t count) {
    if (count > text_.size() - at_) damaged("it ends too early");
    at_ += count;
    return text_.substr(at_ - count, count);
  }
  template <class T>
  T plain() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string line() {
    const std::size_t end = text_.find('\n', at_);
    if (end == std::string_view::npos) damaged("a line without an end");
    std::string out(text_.substr(at_, end - at_));
    at_ = end + 1;
    return out;
  }

  void push(Value value) {
    stack_.push_back(values_.size());
    values_.push_back(std::move(value));
  }
  void push_number(Number number) { push({.kind = Kind::kNumber, .number = number}); }
  Ref pop() {
    if (stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size()))
      damaged("a value is missing");
    const Ref top = stack_.back();
    stack_.pop_back();
    return top;
  }
  std::vector<Ref> pop_to_mark() {
    if (marks_.empty()) damaged("a mark is missing");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    marks_.pop_back();
    std::vector<Ref> out(first, stack_.end());
    stack_.erase(first, stack_.end());
    return out;
  }
  Value& top(Kind kind) {
    if (stack_.empty() || values_[stack_.back()].kind != kind)
      damaged("a value of another kind than it needs");
    return values_[stack_.back()];
  }
  void push_tuple(std::size_t count) {
    std::vector<Ref> parts(count);
    for (std::size_t i = count; i-- > 0;) parts[i] = pop();
    push({.kind = Kind::kList, .parts = std::move(parts)});
  }
  void remember(std::size_t place) {
    if (stack_.empty()) damaged("nothing to remember");
    memo_[place] = stack_.back();
  }
  void recall(std::size_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) damaged("a value that was never kept");
    stack_.push_back(found->second);
  }
  void append(Kind kind, std::span<const Ref> parts) {
    if (kind == Kind::kDict && parts.size() % 2 != 0) damaged("a key without a value");
    Value& into = top(kind);
    into.parts.insert(into.parts.end(), parts.begin(), parts.end());
  }

  const Value& part(const Value& of, std::size_t place, Kind kind) const {
    if (place >= of.parts.size() || values_[of.parts[place]].kind != kind)
      damaged("an argument of another kind than it needs");
    return values_[of.parts[place]];
  }
  std::vector<Index> extents(const Value& of) const {
    std::vector<Index> out;
    for (std::size_t i = 0; i < of.parts.size(); ++i) {
      const Number extent = part(of, i, Kind::kNumber).number;
      if (extent < 0) damaged("a negative extent");
      out.push_back(extent);
    }
    return out;
  }

  // ('storage', its class, its key, where it was, how many numbers)
  void push_storage() {
    const Value id = values_[pop()];
    if (id.kind != Kind::kList || part(id, 0, Kind::kText).text != "storage")
      refuse("an object outside the pickle");
    const char* type = storage_type(part(id, 1, Kind::kGlobal).text);
    if (type == nullptr) damaged("a storage of no type");
    const std::string& key = part(id, 2, Kind::kText).text;
    const Number numbers = part(id, 4, Kind::kNumber).number;
    if (numbers < 0) damaged("a storage of negative length");
    const PickledStorage storage{key, type, static_cast<std::uint64_t>(numbers)};
    const auto [known, added] = storages_.emplace(key, storage);
    if (known->second.type != storage.type || known->second.numbers != storage.numbers)
      damaged("two storages of one key");
    Value value{.kind = Kind::kStorage, .text = key};
    value.tensor.type = type;
    value.tensor.numbers = storage.numbers;
    push(std::move(value));
  }

  void push_tensor(const Value& arguments) {
    const Value& storage = part(arguments, 0, Kind::kStorage);
    Value made{.kind = Kind::kTensor};
    PickledTensor& tensor = made.tensor;
    tensor = storage.tensor;
    tensor.storage = storage.text;
    const Number offset = part(arguments, 1, Kind::kNumber).number;
    if (offset < 0) damaged("a negative offset");
    tensor.offset = static_cast<std::uint64_t>(offset);
    tensor.shape = extents(part(arguments, 2, Kind::kList));
    tensor.stride = extents(part(arguments, 3, Kind::kList));
    if (tensor.shape.size() != tensor.stride.size()) damaged("a tensor of two ranks");
    constexpr std::size_t kMostAxes = 16;
    if (tensor.shape.size() > kMostAxes) damaged("a tensor of too many axes");
    std::uint64_t last = tensor.offset, count = 1;
    for (std::size_t a = 0; a < tensor.shape.size(); ++a) {
      const auto extent = static_cast<std::uint64_t>(tensor.shape[a]);
      std::uint64_t reach = 0;
      if (__builtin_mul_overflow(count, extent, &count) ||
          __builtin_mul_overflow(extent == 0 ? 0 : extent - 1,
                                 static_cast<std::uint64_t>(tensor.stride[a]), &reach) ||
          __builtin_add_overflow(last, reach, &last))
        damaged("a tensor of more numbers than there can be");
    }
    if (count > 0 && last >= tensor.numbers) damaged("a tensor leaves its storage");
    // Numbers that a stride of 0 repeats could fill any memory.
    if (count > tensor.numbers) refuse("a tensor that repeats numbers of its storage");
    push(std::move(made));
  }

  void reduce() {
    const Value arguments = values_[pop()], function = values_[pop()];
    if (function.kind != Kind::kGlobal || arguments.kind != Kind::kList)
      refuse("a call of something that is no function");
    if (function.text == kOrderedDict) {
      if (!arguments.parts.empty()) refuse("an OrderedDict of arguments");
      return push({.kind = Kind::kDict});
    }
    if (function.text == kTensor) return push_tensor(arguments);
    if (function.text == kParameter) {
      part(arguments, 0, Kind::kTensor);
      return stack_.push_back(arguments.parts[0]);
    }
    refuse("a call of " + in_message(function.text));
  }

  void push_global() {
    const std::string module = line();
    const std::string name = module + " " + line();
    if (!is_known(name)) refuse(in_message(name));
    push({.kind = Kind::kGlobal, .text = name});
  }

  void push_long(std::size_t bytes) {
    const std::string_view digits = take(bytes);
    // PyTorch's magic number has 10 bytes; nothing that is counted has more than 8.
    constexpr std::size_t kMostBytes = 10;
    if (bytes > kMostBytes) refuse("a number of too many digits");
    std::uint64_t value = bytes > 0 && (digits.back() & 0x80) != 0 ? ~std::uint64_t{0} : 0;
    std::memcpy(&value, digits.data(), std::min(bytes, sizeof(value)));
    push_number(static_cast<Number>(value));
  }

  // The opcodes by the names of Python's pickletools.
  void step(unsigned char code) {
    switch (code) {
      case 0x80:  // PROTO
        take(1);
        return;
      case '.':  // STOP
        done_ = true;
        return;
      case '(':  // MARK
        return marks_.push_back(stack_.size());
      case '}':  // EMPTY_DICT
        return push({.kind = Kind::kDict});
      case ']':  // EMPTY_LIST
      case ')':  // EMPTY_TUPLE
        return push({.kind = Kind::kList});
      case 't':  // TUPLE
        return push({.kind = Kind::kList, .parts = pop_to_mark()});
      case 0x85:  // TUPLE1
        return push_tuple(1);
      case 0x86:  // TUPLE2
        return push_tuple(2);
      case 0x87:  // TUPLE3
        return push_tuple(3);
      case 'N':  // NONE
        return push({});
      case 0x88:  // NEWTRUE
        return push_number(1);
      case 0x89:  // NEWFALSE
        return push_number(0);
      case 'J':  // BININT
        return push_number(plain<std::int32_t>());
      case 'K':  // BININT1
        return push_number(plain<std::uint8_t>());
      case 'M':  // BININT2
        return push_number(plain<std::uint16_t>());
      case 0x8A:  // LONG1
        return push_long(plain<std::uint8_t>());
      case 'G':  // BINFLOAT
        take(sizeof(double));
        return push({.kind = Kind::kFraction});
      case 'X':  // BINUNICODE
        return push({.kind = Kind::kText, .text = std::string(take(plain<std::uint32_t>()))});
      case 'h':  // BINGET
        return recall(plain<std::uint8_t>());
      case 'j':  // LONG_BINGET
        return recall(plain<std::uint32_t>());
      case 'q':  // BINPUT
        return remember(plain<std::uint8_t>());
      case 'r':  // LONG_BINPUT
        return remember(plain<std::uint32_t>());
      case 's': {  // SETITEM
        const Ref value = pop(), key = pop();
        return append(Kind::kDict, std::array<Ref, 2>{key, value});
      }
      case 'u':  // SETITEMS
        return append(Kind::kDict, pop_to_mark());
      case 'a':  // APPEND
        return append(Kind::kList, std::array<Ref, 1>{pop()});
      case 'e':  // APPENDS
        return append(Kind::kList, pop_to_mark());
      case 'Q':  // BINPERSID
        return push_storage();
      case 'c':  // GLOBAL
        return push_global();
      case 'R':  // REDUCE
        return reduce();
      case 'b':  // BUILD: the attributes of an OrderedDict, such as _metadata
        pop();
        top(Kind::kDict);
        return;
      default:
        refuse(str("the operation ", static_cast<int>(code)));
    }
  }

  // The tensors in dictionaries of dictionaries.
  void collect(const Value& of, const std::string& start, int depth, TensorPickle& out) const {
    constexpr int kDeepest = 6;
    if (of.kind != Kind::kDict || depth > kDeepest) return;
    for (std::size_t i = 0; i + 1 < of.parts.size(); i += 2) {
      const Value &key = values_[of.parts[i]], &value = values_[of.parts[i + 1]];
      if (key.kind != Kind::kText) continue;
      if (value.kind == Kind::kTensor) {
        out.tensors.push_back(value.tensor);
        out.tensors.back().name = start + key.text;
      }
      collect(value, start + key.text + ".", depth + 1, out);
    }
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
  bool done_ = false;
  std::vector<Value> values_;
  std::vector<Ref> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::size_t, Ref> memo_;
  std::map<std::string, PickledStorage> storages_;
};

}  // namespace

TensorPickle read_tensor_pickle(std::string_view text, const std::string& source) {
  return PickleReader(text, source).read();
}

}  // namespace saccade
