// The timing of one Cortex-A9: what docs/a9.md describes. Its parts are in files of their own.
#pragma once

#include "core/memory.h"
#include "cpu/a32/timing.h"
#include "cpu/a32/translation.h"
#include "timing/a9/branches.h"
#include "timing/a9/cache.h"
#include "timing/a9/decode.h"
#include "timing/a9/memories.h"
#include "timing/a9/parameters.h"
#include "timing/a9/tlb.h"
#include "timing/decoded.h"

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace twin::a9 {

class Model;

// The two models share the memories.
struct Cluster {
    Cluster(const Parameters &parameters, const Memory &memory)
        : parameters(parameters), memory(memory), memories(this->parameters) {}
    std::unique_ptr<a32::Timing> core(unsigned number);

    Parameters parameters;
    const Memory &memory;
    Memories memories;
    std::vector<Model *> cores;
};

class Model : public a32::Timing {
  public:
    Model(unsigned number, Cluster &cluster);

    void attach(std::function<std::uint64_t(unsigned)> general_register) override {
        general_register_ = std::move(general_register);
    }
    Time prepare(std::uint64_t pc, Time earliest) override;
    Time commit(Time at) override;
    void enter_set(bool thumb) override { thumb_ = thumb; }
    Time access(std::uint64_t address, std::uint64_t physical, unsigned size, bool store) override;
    void flush(Time at) override;
    void set_cycle(Time) override {} // its clock is not divided
    void write_register(a32::CoprocessorRegister reg, std::uint32_t value) override;
    void write_stats(std::ostream &out) const override;

  private:
    static constexpr std::uint64_t none = ~std::uint64_t{0};
    static constexpr std::uint64_t merging_bytes = 8; // an entry of the store buffer

    std::uint64_t straight() const { return pc_ + (current_ ? current_->size : 4); }
    void follow(std::uint64_t pc);
    void fetch(std::uint64_t pc);
    Time operands(const Instruction &it) const;
    bool is_device(const Instruction &it) const;
    Page translated(std::uint64_t address, Time &at);
    Time load(std::uint64_t address, const Page &page, Time at);
    void store(std::uint64_t address, const Page &page, Time at);
    bool merges(std::uint64_t address, Time at) const;
    void allocate(LineNumber line, Time ready, bool dirty);
    Time fill(LineNumber line, const Page &page, Time at);
    void complete(Time at);
    void maintain(a32::CoprocessorRegister reg, std::uint32_t value);
    void maintain_line(unsigned operation, std::uint32_t address);
    void maintain_set_way(unsigned operation, std::uint32_t value);

    const unsigned number_;
    Cluster &cluster_;
    const Parameters &parameters_;
    Memories &memories_;
    const Time cycle_;
    std::function<std::uint64_t(unsigned)> general_register_;

    Decoded<Instruction, decode> decoded_;
    Decoded<Instruction, decode_thumb> decoded_thumb_;
    bool thumb_ = false;

    a32::Regime regime_;
    Branches branches_;
    Cache l1i_, l1d_;
    Tlb tlb_;

    const Instruction *current_ = nullptr;
    std::uint64_t pc_ = none;
    bool after_flush_ = true;      // what came before says nothing about the way to this one
    std::uint64_t fetched_ = none; // line or uncached piece that instructions come from
    std::uint64_t moved_ = 0;      // from an address in it to the physical one, modulo 2^64
    Time fetch_time_ = 0;          // the next instruction is there
    Time next_ = 0;                // earliest issue of the next one
    Time issued_ = 0;              // of the current one
    unsigned in_cycle_ = 0;        // issued together with it
    Time executed_ = 0;            // its operands were there
    unsigned accesses_ = 0;        // of it, so far
    std::array<Time, 18> ready_{}; // registers, flags, condition of IT
    std::vector<Time> window_;     // when the last instructions are complete
    std::size_t oldest_ = 0;
    std::vector<Time> fills_, stores_; // under way, round robin
    std::size_t next_fill_ = 0, next_store_ = 0;
    std::uint64_t merged_ = none; // the last 8 bytes stored past the caches
    Time quiet_ = 0;              // loads, stores and maintenance are complete

    std::uint64_t branches_seen_ = 0, mispredicts_ = 0, l1i_misses_ = 0, l1d_misses_ = 0;
    std::uint64_t uncached_fetches_ = 0, uncached_loads_ = 0;
};

} // namespace twin::a9
