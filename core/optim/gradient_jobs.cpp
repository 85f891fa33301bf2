#include "core/optim/gradient_jobs.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/kernels/gemm.h"
#include "core/kernels/pointwise.h"
#include "core/parallel/parallel.h"
#include "core/parallel/per_thread.h"
#include "core/parallel/ranks/groups.h"

namespace saccade {
inline namespace SACCADE_NUMERIC {

namespace {

// A product of this many rows runs near peak speed by itself; smaller consecutive ones are copied
// together.
constexpr Index kLargeProduct = 128;
// The number of rows multiplied at a time, so that the operands of a tile stay in cache.
constexpr Index kRowBlock = 1024;

void copy_into(ConstView from, Real* to) { std::copy_n(from.data, from.size(), to); }

bool has_row_of(const RowsGrad& job, const Tile& tile) {
  return std::any_of(job.ids.begin(), job.ids.end(),
                     [&](int id) { return id >= tile.row && id < tile.row + tile.rows; });
}

// The buffer of a thread for the sum of so many groups that is added to that of the groups before.
Real* sum_scratch(Index groups) {
  static parallel::PerThread<std::map<Index, Tensor>> scratch;
  Tensor& one = scratch.get()[groups];
  if (one.empty()) one = Tensor(Shape{kTileNumbers});
  return one.data();
}

// The columns of dy that a thread multiplied last, as products read them (kernels::pack_b): the
// next tile mostly has the same ones.
struct Columns {
  std::uint64_t collection = 0;
  int parameter = -1;
  Index col = 0;
  std::map<std::pair<const Real*, Index>, const void*> copies;  // by the first number and the rows
  std::vector<std::vector<std::uint16_t>> memory;

  const void* pack(const Gemm& g) {
    const auto found = copies.find({g.b, g.k});
    if (found != copies.end()) return found->second;
    if (memory.size() == copies.size()) memory.emplace_back();
    const void* copy = kernels::pack_b(g, memory[copies.size()]);
    // A tile of few rows is not rounded and has none, but others may.
    if (copy) copies.emplace(std::pair(g.b, g.k), copy);
    return copy;
  }
};
Columns& columns_of(std::uint64_t collection, const Tile& tile) {
  static parallel::PerThread<Columns> of_threads;
  Columns& columns = of_threads.get();
  if (columns.collection != collection || columns.parameter != tile.parameter ||
      columns.col != tile.col) {
    columns.copies.clear();
    columns.collection = collection, columns.parameter = tile.parameter, columns.col = tile.col;
  }
  return columns;
}

}  // namespace

GradientJobs::GradientJobs(const ParameterStore& store, Index groups, Index part, Index parts)
    : store_(&store),
      all_groups_(groups),
      groups_(groups / parts),
      first_group_(part * groups_),
      jobs_(static_cast<std::size_t>(groups_) * store.count()) {
  SACCADE_CHECK(
      groups > 0 && (groups & (groups - 1)) == 0 && groups % parts == 0,
      "[gradient] groups are a power of two, of which each rank has the same number; got ", groups,
      " groups for ", parts, " ranks");
}

void GradientJobs::check(const LinearGrad& job) const {
  const ParameterInfo& info = store_->info(job.parameter);
  SACCADE_ASSERT(job.x.rows() == job.dy.rows() && job.x.cols() == info.shape.rows() &&
                     job.dy.cols() == info.shape.cols(),
                 "gradient of ", info.name, " ", info.shape, " from ", job.x.shape, " and ",
                 job.dy.shape);
}

void GradientJobs::collect(std::span<Tape* const> shards, Index all_shards) {
  static std::atomic<std::uint64_t> collections = 0;
  number_ = ++collections;
  const Index first = parallel::shards_of(first_group_, all_groups_, all_shards).begin;
  for (Jobs& jobs : jobs_) {
    jobs.linear.clear();
    jobs.products.clear();
    jobs.dense.clear();
    jobs.rows.clear();
  }
  copies_.clear();
  pack_.reset();
  for (Index g = 0; g < groups_; ++g) {
    const auto of = parallel::shards_of(first_group_ + g, all_groups_, all_shards);
    collect(
        shards.subspan(static_cast<std::size_t>(of.begin - first),
                       static_cast<std::size_t>(of.count())),
        std::span(jobs_).subspan(static_cast<std::size_t>(g) * store_->count(), store_->count()));
  }
  for (Jobs& jobs : jobs_) plan_products(jobs);
  parallel::for_each(static_cast<Index>(copies_.size()), [&](Index i) {
    const Copy& copy = copies_[static_cast<std::size_t>(i)];
    copy_into(copy.from->x, copy.x);
    copy_into(copy.from->dy, copy.dy);
  });
}

void GradientJobs::collect(std::span<Tape* const> shards, std::span<Jobs> group) {
  for (const Tape* tape : shards) {
    for (const LinearGrad& job : tape->linear_grads()) {
      check(job);
      if (job.x.rows() > 0) group[static_cast<std::size_t>(job.parameter)].linear.push_back(job);
    }
    for (const RowsGrad& job : tape->rows_grads())
      group[static_cast<std::size_t>(job.parameter)].rows.push_back(job);
    for (std::size_t p = 0; p < group.size(); ++p)
      if (const ConstView grad = tape->parameter_grad(static_cast<int>(p)); grad.data)
        group[p].dense.push_back(grad.data);
  }
}

void GradientJobs::plan_products(Jobs& jobs) {
  const std::span<const LinearGrad> linear = jobs.linear;
  for (std::size_t begin = 0; begin < linear.size();) {
    std::size_t end = begin;
    while (end < linear.size() && linear[end].x.rows() < kLargeProduct) ++end;
    if (end - begin > 1) {
      pack(linear.subspan(begin, end - begin), jobs);
    } else {
      end = begin + 1;
      const LinearGrad& job = linear[begin];
      jobs.products.push_back({job.x.data, job.dy.data, job.x.rows()});
    }
    begin = end;
  }
}

void GradientJobs::pack(std::span<const LinearGrad> run, Jobs& jobs) {
  Index rows = 0;
  for (const LinearGrad& job : run) rows += job.x.rows();
  const Index in = run.front().x.cols(), out = run.front().dy.cols();
  Real* x = pack_.allocate_array<Real>(static_cast<std::size_t>(rows * in));
  Real* dy = pack_.allocate_array<Real>(static_cast<std::size_t>(rows * out));
  jobs.products.push_back({x, dy, rows});
  for (const LinearGrad& job : run) {
    copies_.push_back({&job, x, dy});
    x += job.x.size();
    dy += job.dy.size();
  }
}

bool GradientJobs::any(int parameter) const {
  for (Index g = 0; g < groups_; ++g)
    if (const Jobs& jobs = jobs_of(g, parameter);
        !jobs.products.empty() || !jobs.dense.empty() || !jobs.rows.empty())
      return true;
  return false;
}

void GradientJobs::compute(const Tile& tile, Real* out) const {
  if (!compute_any(tile, out)) std::fill_n(out, tile.rows * tile.cols, Real{0});
}

bool GradientJobs::compute_any(const Tile& tile, Real* out) const {
  return compute_sum(0, groups_, tile, out);
}

bool GradientJobs::compute_sum(Index first, Index count, const Tile& tile, Real* out) const {
  if (count == 1) return compute_group(first, tile, out);
  const Index half = count / 2;
  if (!compute_sum(first, half, tile, out)) return compute_sum(first + half, half, tile, out);
  Real* const more = sum_scratch(half);
  if (!compute_sum(first + half, half, tile, more)) return true;
  const Shape shape{tile.rows, tile.cols};
  kernels::accumulate({more, shape}, {out, shape});
  return true;
}

bool GradientJobs::compute_group(Index group, const Tile& tile, Real* out) const {
  const Jobs& jobs = jobs_of(group, tile.parameter);
  if (jobs.products.empty() && jobs.dense.empty() &&
      std::none_of(jobs.rows.begin(), jobs.rows.end(),
                   [&](const RowsGrad& job) { return has_row_of(job, tile); }))
    return false;
  const Shape& shape = store_->info(tile.parameter).shape;
  const Index in = shape.rows(), width = shape.cols();
  bool fresh = true;
  Columns& columns = columns_of(number_, tile);
  for (const Product& product : jobs.products)
    for (Index k = 0; k < product.rows; k += kRowBlock) {
      Gemm g{.trans_a = Trans::kYes,
             .m = tile.rows,
             .n = tile.cols,
             .k = std::min(kRowBlock, product.rows - k),
             .a = product.x + k * in + tile.row,
             .lda = in,
             .b = product.dy + k * width + tile.col,
             .ldb = width,
             .beta = fresh ? Real{0} : Real{1},
             .c = out,
             .ldc = tile.cols};
      g.packed_b = columns.pack(g);
      kernels::gemm(g);
      fresh = false;
    }
  if (fresh) std::fill_n(out, tile.rows * tile.cols, Real{0});
  for (const Real* dense : jobs.dense)
    for (Index r = 0; r < tile.rows; ++r) {
      const Real* from = dense + (tile.row + r) * width + tile.col;
      Real* to = out + r * tile.cols;
      for (Index c = 0; c < tile.cols; ++c) to[c] += from[c];
    }
  for (const RowsGrad& job : jobs.rows)
    for (std::size_t i = 0; i < job.ids.size(); ++i) {
      const Index r = job.ids[i] - tile.row;
      if (r < 0 || r >= tile.rows) continue;
      const Real* from = job.dy.row(static_cast<Index>(i)) + tile.col;
      Real* to = out + r * tile.cols;
      for (Index c = 0; c < tile.cols; ++c) to[c] += from[c];
    }
  return true;
}

}  // namespace SACCADE_NUMERIC
}  // namespace saccade
