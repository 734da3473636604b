// irqscope-core-check: a core with memory and nothing else, which tells each access that it makes.
// Judging them is the business of irqscope_rtl.check.
//
// Usage: irqscope-core-check ELF, then on the standard input a job in each line:
//   START LEAST MOST SEED CAUSE AFTER CYCLES WATCHED...
// The core begins at START. Memory answers LEAST to MOST cycles later than in the next one. AFTER
// cycles after a store to `mark` the input CAUSE rises; 0: none does. WATCHED are addresses of
// instructions. The job ends with a store to `end`, or after CYCLES. With the word `pins` after ELF
// it also tells the levels of the handshakes in each cycle.
#include "core/stop.h"
#include "devices.h"
#include "program.h"
#include "sleep.h"

#include <Vcore.h>
#include <algorithm>
#include <cstring>
#include <deque>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr unsigned reset_cycles = 8;
constexpr std::uint32_t start = 0x100000, start_behind = 0xFFF80, memory_bytes = 0x200000;
// Some of the devices of rtl/system/devices.h, at the same addresses; and the end of a job.
constexpr std::uint32_t mark = 0xFFFFF800, levels = 0xFFFFF844, lower = 0xFFFFF848,
                        end = 0xFFFFF87C;
constexpr unsigned told_fetches = 4, told_idle = 100;

struct Job {
    std::uint32_t start = 0;
    unsigned least = 0, most = 0, seed = 1, cause = 0;
    std::uint64_t after = 0, cycles = 0;
    std::vector<std::uint32_t> watched;
};

struct Answer {
    std::uint64_t at; // cycle
    std::uint32_t data;
};

class Run {
  public:
    Run(const Job &job, const rtl::Program &program, bool pins)
        : job_(job), pins_(pins), random_(job.seed) {
        program.load(memory_);
        std::uint32_t low = job.start & 0xFFF;
        const std::uint32_t jump[] = {((job.start + 0x800) & 0xFFFFF000) | 0x2B7,
                                      low << 20 | 0x28067}; // lui t0, high; jalr zero, low(t0)
        std::memcpy(memory_.data() + start, jump, sizeof jump);
        std::memcpy(memory_.data() + start_behind, jump, sizeof jump);
        rtl::boot_at(*core_, start_behind);
        core_->rst_n = 1;
        core_->ready = 1;
        core_->eval();
        core_->rst_n = 0;
        for (unsigned i = 0; i < reset_cycles; ++i) {
            core_->clk = 0;
            core_->eval();
            core_->clk = 1;
            core_->eval();
        }
        core_->rst_n = 1;
    }

    void live() {
        while (!ended_ && now_ < job_.cycles)
            cycle();
        core_->final();
        std::cout << (ended_ ? "end " : "late ") << now_ << " 0x" << std::hex << core_->execute_pc
                  << std::dec << std::endl;
    }

  private:
    void tell(const char *what, std::uint32_t address, unsigned bytes = 0, std::uint32_t data = 0) {
        std::cout << what << ' ' << now_ << std::hex << " 0x" << address << " 0x" << bytes << " 0x"
                  << data << std::dec << '\n';
    }

    // Marsaglia's xorshift, as in rtl/system/board.cpp.
    unsigned wait() {
        random_ ^= random_ << 13;
        random_ ^= random_ >> 17;
        random_ ^= random_ << 5;
        return job_.least + random_ % (job_.most - job_.least + 1);
    }

    void cycle() {
        auto &c = *core_;
        if (rises_ == now_) {
            irq_ |= 1u << job_.cause;
            tell("rise", job_.cause);
        }
        c.irq = irq_;
        c.clk = 0;
        c.eval();
        if (pins_)
            std::cout << "pins " << now_ << ' ' << int{c.fetch} << int{c.fetch_valid}
                      << int{c.access} << int{c.write} << int{c.ready} << int{c.valid}
                      << (irq_ != 0) << int{c.asleep} << "\n";
        if (c.asleep && (c.fetch || c.access))
            tell("asleep", c.fetch ? c.fetch_address : c.address);
        if (c.asleep && (!fetches_.empty() || access_))
            tell("unanswered", c.execute_pc);
        if (c.asleep && irq_ && now_ == rises_ + rtl::wakes_within + 1)
            tell("still", job_.cause);
        bool waits = rises_ != UINT64_MAX && !c.fetch && !c.access && !c.asleep && !access_;
        idle_ = waits ? idle_ + 1 : 0;
        if (idle_ == told_idle)
            tell("idle", c.execute_pc);
        if (c.fetch) {
            if (fetches_told_++ < told_fetches)
                tell("fetch", c.fetch_address);
            fetched_at_ = std::max(now_, fetched_at_) + 1 + wait();
            fetches_.push_back({fetched_at_, word(c.fetch_address & ~3u)});
        }
        if (c.access && c.ready)
            access();
        if (c.execute &&
            std::find(job_.watched.begin(), job_.watched.end(), c.execute_pc) != job_.watched.end())
            tell("execute", c.execute_pc);
        c.clk = 1;
        c.eval();
        c.fetch_valid = !fetches_.empty() && fetches_.front().at <= now_ + 1;
        if (c.fetch_valid) {
            c.fetch_data = fetches_.front().data;
            fetches_.pop_front();
        }
        c.valid = access_ && access_->at <= now_ + 1;
        if (c.valid) {
            c.read_data = access_->data;
            access_.reset();
        }
        c.ready = !access_;
        ++now_;
    }

    std::uint32_t word(std::uint32_t address) const {
        std::uint32_t found = 0;
        if (address <= memory_bytes - sizeof found)
            std::memcpy(&found, memory_.data() + address, sizeof found);
        return found;
    }

    void access() {
        auto &c = *core_;
        std::uint32_t address = c.address & ~3u, data = word(address);
        if (address == levels)
            data = irq_;
        if (c.write) {
            data = 0;
            for (unsigned byte = 0; byte < 4; ++byte)
                if (c.bytes >> byte & 1)
                    data |= c.write_data & 0xFFu << 8 * byte;
            store(address, c.bytes, data);
        }
        tell(c.write ? "store" : "load", address, c.bytes, data);
        access_ = {now_ + 1 + wait(), data};
    }

    void store(std::uint32_t address, unsigned bytes, std::uint32_t data) {
        if (address <= memory_bytes - 4) {
            for (unsigned byte = 0; byte < 4; ++byte)
                if (bytes >> byte & 1)
                    memory_[address + byte] = static_cast<std::uint8_t>(data >> 8 * byte);
        } else if (address == mark && job_.cause) {
            rises_ = now_ + 1 + job_.after;
        } else if (address == levels) {
            irq_ |= data;
        } else if (address == lower) {
            irq_ &= ~data;
        }
        ended_ = ended_ || address == end;
    }

    const Job job_;
    const bool pins_;
    std::unique_ptr<Vcore> core_ = std::make_unique<Vcore>();
    std::vector<std::uint8_t> memory_ = std::vector<std::uint8_t>(memory_bytes);
    std::deque<Answer> fetches_;
    std::optional<Answer> access_;
    std::uint64_t now_ = 0, fetched_at_ = 0, rises_ = UINT64_MAX;
    std::uint32_t irq_ = 0, random_;
    unsigned fetches_told_ = 0, idle_ = 0;
    bool ended_ = false;
};

} // namespace

int main(int argc, char **argv) {
    bool pins = argc == 3 && argv[2] == std::string("pins");
    if (argc != 2 && !pins)
        twin::refuse("irqscope-core-check ELF [pins]");
    rtl::Program program(argv[1]);
    for (std::string line; std::getline(std::cin, line);) {
        std::istringstream in(line);
        Job job;
        in >> job.start >> job.least >> job.most >> job.seed >> job.cause >> job.after >>
            job.cycles;
        if (!in)
            twin::refuse("no job: " + line);
        for (std::uint32_t address; in >> address;)
            job.watched.push_back(address);
        Run(job, program, pins).live();
    }
    return 0;
}
