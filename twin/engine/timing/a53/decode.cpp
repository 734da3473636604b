#include "timing/a53/decode.h"

#include "cpu/a64/fields.h"

namespace twin::a53 {

namespace {

// Builds one Instruction; register 31 is SP or nothing.
class Builder : public a64::Fields {
  public:
    explicit Builder(std::uint32_t opcode) : Fields(opcode) { it.opcode = opcode; }

    std::uint8_t rd() const { return static_cast<std::uint8_t>(bits(4, 0)); }
    std::uint8_t ra() const { return static_cast<std::uint8_t>(bits(14, 10)); }
    std::uint8_t rm() const { return static_cast<std::uint8_t>(bits(20, 16)); }

    void read(std::uint8_t reg, Need need, bool sp = false) {
        if (reg == 31 && !sp)
            return;
        it.source[it.sources++] = {reg, need};
    }
    void read_flags(Need need) { it.source[it.sources++] = {reg_flags, need}; }
    void write(std::uint8_t reg, bool sp = false) {
        if (reg == 31 && !sp)
            return;
        it.target[it.targets++] = reg;
    }

    Instruction it;
};

void immediate(Builder &b) {
    switch (b.bits(25, 23)) {
    case 0: // ADR, ADRP
    case 1:
        b.it.result = Result::move;
        b.write(b.rd());
        break;
    case 2: // ADD, SUB
    case 3:
        b.read(b.rn(), Need::late, true);
        b.it.sets_flags = b.bit(29);
        b.write(b.rd(), !b.it.sets_flags);
        break;
    case 4: // AND, ORR, EOR
        b.read(b.rn(), Need::late);
        b.it.sets_flags = b.bits(30, 29) == 3;
        b.write(b.rd(), !b.it.sets_flags);
        break;
    case 5: // MOVN, MOVZ, MOVK
        b.it.result = Result::move;
        if (b.bits(30, 29) == 3)
            b.read(b.rd(), Need::late);
        b.write(b.rd());
        break;
    case 6: // bit fields: LSL, UBFX, BFI, SXTW
        b.it.result = Result::move;
        b.read(b.rn(), Need::early);
        if (b.bits(30, 29) == 1)
            b.read(b.rd(), Need::late);
        b.write(b.rd());
        break;
    default: // EXTR
        b.read(b.rn(), Need::early);
        b.read(b.rm(), Need::early);
        b.write(b.rd());
    }
}

void two_sources(Builder &b) {
    b.read(b.rn(), Need::early);
    b.read(b.rm(), Need::early);
    b.write(b.rd());
    switch (b.bits(15, 10)) {
    case 2: // UDIV, SDIV
    case 3:
        b.it.units = unit_divide;
        b.it.result = b.bit(31) ? Result::divide_x : Result::divide_w;
        break;
    default: // LSLV and the like, CRC32
        b.it.units = unit_shift;
    }
}

void registers(Builder &b) {
    if (!b.bit(28)) {
        bool arithmetic = b.bit(24);
        bool extended = arithmetic && b.bit(21);
        bool shifted = extended || b.bits(15, 10) != 0;
        b.read(b.rn(), Need::late, extended);
        b.read(b.rm(), shifted ? Need::early : Need::late);
        b.it.sets_flags = arithmetic ? b.bit(29) : b.bits(30, 29) == 3;
        // MOV is ORR with the zero register.
        if (!arithmetic && b.rn() == 31 && !shifted)
            b.it.result = Result::move;
        b.write(b.rd(), extended && !b.it.sets_flags);
        return;
    }
    if (b.bit(24)) { // MADD and the like
        b.it.units = unit_multiply;
        b.it.slots = 2;
        b.it.result = Result::load;
        b.read(b.rn(), Need::early);
        b.read(b.rm(), Need::early);
        b.read(b.ra(), Need::late); // forwarded from a multiplication before
        b.write(b.rd());
        return;
    }
    switch (b.bits(23, 21)) {
    case 0: // ADC, SBC
        b.read(b.rn(), Need::late);
        b.read(b.rm(), Need::late);
        b.read_flags(Need::late);
        b.it.sets_flags = b.bit(29);
        b.write(b.rd());
        break;
    case 2: // CCMP, CCMN
        b.read(b.rn(), Need::late);
        if (!b.bit(11))
            b.read(b.rm(), Need::late);
        b.read_flags(Need::late);
        b.it.sets_flags = true;
        break;
    case 4: // CSEL and the like
        b.read(b.rn(), Need::late);
        b.read(b.rm(), Need::late);
        b.read_flags(Need::late);
        b.write(b.rd());
        break;
    case 6:
        if (b.bit(30)) { // CLZ, RBIT, REV
            b.read(b.rn(), Need::early);
            b.write(b.rd());
        } else {
            two_sources(b);
        }
        break;
    }
}

// Transfer registers of a load or store.
void transfer(Builder &b, bool load, std::uint8_t reg) {
    if (load)
        b.write(reg);
    else
        b.read(reg, Need::stored);
}

void memory(Builder &b) {
    bool vector = b.bit(26);
    b.it.units = unit_memory;
    b.it.result = Result::load;
    b.it.vector = vector;
    b.it.memory = a64::memory_operand(b.it.opcode);
    auto kind = [&b](bool load) {
        b.it.kind = load ? Kind::load : Kind::store;
        return load;
    };
    // Vector registers of more than 64 bits in all keep the unit for a second cycle, and a load of
    // them issues alone (GCC: cortex_a53_f_load_many, cortex_a53_f_store_many).
    auto many = [&b](bool load) {
        b.it.holds_memory_unit = true;
        if (load)
            b.it.slots = 2;
    };
    switch (b.bits(29, 27)) {
    case 1: {         // exclusive, acquire and release
        if (vector) { // vector structures
            many(kind(b.bit(22)));
            b.read(b.rn(), Need::address, true);
            return;
        }
        bool load = kind(b.bit(22));
        b.read(b.rn(), Need::address, true);
        transfer(b, load, b.rd());
        if (!b.bit(23) && b.bit(21))
            transfer(b, load, b.ra());
        if (!load && !b.bit(23))
            b.write(b.rm()); // status
        return;
    }
    case 3: // literal
        kind(true);
        if (!vector)
            b.write(b.rd());
        else if (b.bit(31))
            many(true);
        return;
    case 5: { // pair
        bool load = kind(b.bit(22));
        b.read(b.rn(), Need::address, true);
        if (vector) {
            many(load);
        } else {
            transfer(b, load, b.rd());
            transfer(b, load, b.ra());
        }
        if (load && b.bit(31)) {
            b.it.slots = 2;
            b.it.holds_memory_unit = true;
        }
        if (b.bit(23))
            b.it.writeback = b.rn();
        return;
    }
    default: {                                                       // one register
        if (!vector && b.bits(31, 30) == 3 && b.bits(23, 22) == 2) { // PRFM
            b.read(b.rn(), Need::address, true);
            return;
        }
        bool load = kind(vector ? b.bit(22) : b.bits(23, 22) != 0);
        b.read(b.rn(), Need::address, true);
        if (!b.bit(24)) {
            if (b.bit(21))
                b.read(b.rm(), Need::address);
            else if (b.bit(10)) // before or after
                b.it.writeback = b.rn();
        }
        if (!vector)
            transfer(b, load, b.rd());
        else if (b.bits(31, 30) == 0 && b.bit(23)) // 128 bits
            many(load);
    }
    }
}

void system(Builder &b) {
    unsigned op0 = b.bits(20, 19);
    if (op0 >= 2) { // MRS, MSR
        b.it.kind = Kind::system_access;
        b.it.slots = 2;
        if (b.bit(21))
            b.write(b.rd());
        else
            b.read(b.rd(), Need::late);
        return;
    }
    if (op0 == 1) { // SYS
        b.it.kind = Kind::maintenance;
        b.it.units = unit_memory;
        b.it.slots = 2;
        b.read(b.rd(), Need::address);
        return;
    }
    if (b.bits(15, 12) == 4) { // MSR of a PSTATE field
        b.it.kind = Kind::system_access;
        b.it.slots = 2;
    } else if (b.bits(15, 12) == 3) {
        unsigned op2 = b.bits(7, 5);
        b.it.kind = op2 == 4   ? Kind::barrier_data
                    : op2 == 6 ? Kind::barrier_fetch
                               : Kind::plain; // DMB: stores here leave in order
        b.it.slots = 2;
    }
}

void branch(Builder &b) {
    b.it.units = unit_branch;
    switch (b.bits(30, 29)) {
    case 0:
        b.it.kind = b.bit(31) ? Kind::call : Kind::branch;
        if (b.bit(31))
            b.write(30);
        return;
    case 1: // CBZ, TBZ
        b.it.kind = Kind::branch_if;
        b.read(b.rd(), Need::stored);
        return;
    default:
        break;
    }
    if (!b.bit(31)) { // B.cond
        b.it.kind = Kind::branch_if;
        b.read_flags(Need::stored);
    } else if (b.bit(25)) {
        switch (b.bits(24, 21)) {
        case 0:
            b.it.kind = Kind::branch_to;
            break;
        case 1:
            b.it.kind = Kind::call_to;
            b.write(30);
            break;
        case 2:
            b.it.kind = Kind::ret;
            break;
        default:
            b.it.kind = Kind::eret;
            b.it.slots = 2;
            return;
        }
        b.read(b.rn(), Need::late);
    } else if (b.bits(25, 22) == 4) {
        b.it.units = 0;
        system(b);
    } // else SVC and the like: an exception follows
}

} // namespace

Instruction decode(std::uint32_t opcode) {
    Builder b(opcode);
    switch (b.bits(28, 25)) {
    case 8:
    case 9:
        immediate(b);
        break;
    case 5:
    case 13:
        registers(b);
        break;
    case 4:
    case 6:
    case 12:
    case 14:
        memory(b);
        break;
    case 10:
    case 11:
        branch(b);
        break;
    }
    return b.it;
}

} // namespace twin::a53
