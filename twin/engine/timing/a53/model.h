// The timing of one Cortex-A53: what docs/a53.md describes. Its parts are in files of their own.
#pragma once

#include "core/memory.h"
#include "cpu/a64/timing.h"
#include "cpu/a64/translation.h"
#include "timing/a53/branches.h"
#include "timing/a53/cache.h"
#include "timing/a53/counters.h"
#include "timing/a53/decode.h"
#include "timing/a53/memories.h"
#include "timing/a53/parameters.h"
#include "timing/a53/pipeline.h"
#include "timing/a53/prefetcher.h"
#include "timing/a53/store_buffer.h"
#include "timing/a53/streaming.h"
#include "timing/a53/tlb.h"
#include "timing/decoded.h"

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace twin::a53 {

class Model;

// The four models share the memories; maintenance for all cores goes through here.
struct Cluster {
    Cluster(const Parameters &parameters, const Memory &memory);
    std::unique_ptr<a64::Timing> core(unsigned number);

    Parameters parameters;
    const Memory &memory;
    Memories memories;
    std::vector<Model *> cores;
};

class Model : public a64::Timing {
  public:
    Model(unsigned number, Cluster &cluster);

    void attach(std::function<std::uint64_t(unsigned)> general_register) override {
        general_register_ = std::move(general_register);
    }
    Time prepare(std::uint64_t pc, Time earliest) override;
    Time commit(Time at) override;
    Time access() override;
    void flush(Time at) override;
    void attach_level(std::function<unsigned()> level) override { level_ = std::move(level); }
    void write_register(a64::SystemRegister reg, std::uint64_t value) override;
    void set_cycle(Time cycle) override;
    void write_stats(std::ostream &out) const override { counters_.write(out); }

    // Another core's maintenance calls these.
    void drop_instructions() {
        l1i_.clear();
        fetched_ = none;
    }
    void drop_instructions(LineNumber line) {
        l1i_.remove(line);
        fetched_ = none;
    }
    void drop_translations() { tlb_.clear(); }
    void drop_translation(std::uint64_t address) { tlb_.remove(address); }

  private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};

    void look_at_level();
    void follow(std::uint64_t pc);
    void fetch(std::uint64_t pc);
    Time fetch_held(std::uint64_t physical, Time asked);
    void access(std::uint64_t address, unsigned size, bool store);
    void load(std::uint64_t address, Time at);
    void store(std::uint64_t address, unsigned size, Time at);
    void run_ahead(LineNumber line, Time at);
    Time fill(LineNumber line, Time at, bool own);
    void deliver(Time at);
    void maintain(Time at);
    void maintain_set_way(unsigned op, std::uint64_t operand, Time at);

    unsigned number_;
    Cluster &cluster_;
    const Parameters &parameters_;
    Memories &memories_;
    std::function<std::uint64_t(unsigned)> general_register_;
    std::function<unsigned()> level_ = [] { return 3u; };
    Time cycle_;

    Decoded<Instruction, decode> decoded_;

    std::array<a64::Regime, 3> regimes_{a64::Regime{1}, a64::Regime{2}, a64::Regime{3}};
    a64::Regime *regime_ = &regimes_[2]; // of the current level
    Pipeline pipeline_;
    Branches branches_;
    Cache l1i_, l1d_;
    Tlb tlb_;
    StoreBuffer stores_;
    Streaming streaming_;
    Prefetcher prefetcher_;
    std::vector<Time> fills_;          // ends of the fills under way, round robin
    std::vector<Time> uncached_loads_; // likewise
    std::size_t next_fill_ = 0;
    std::size_t next_uncached_ = 0;

    const Instruction *current_ = nullptr;
    std::uint64_t pc_ = none;      // of the instruction prepared last
    bool after_flush_ = true;      // its predecessor says nothing about the way to it
    std::uint64_t fetched_ = none; // line or uncached piece that instructions come from
    std::uint64_t moved_ = 0;      // from an address in it to the physical one, modulo 2^64
    Time fetch_time_ = 0;          // the next instruction is there
    Time issued_ = 0;
    unsigned accesses_ = 0; // of the current instruction, so far
    Time next_ = 0;         // earliest issue of the next instruction
    Time maintained_ = 0;   // maintenance is complete
    Time loaded_ = 0;       // loads are complete
    Counters counters_;
};

} // namespace twin::a53
