#include "cpu/a64/registers.h"

#include <unicorn/unicorn.h>

namespace twin::a64 {

namespace {

uc_arm64_cp_reg name_of(SystemRegister reg, std::uint64_t value) {
    return {reg.crn(), reg.crm(), reg.op0(), reg.op1(), reg.op2(), value};
}

// Unicorn's register of the SP that `pstate` selects.
int sp_of(std::uint64_t pstate) {
    constexpr int banks[] = {UC_ARM64_REG_SP_EL0, UC_ARM64_REG_SP_EL1, UC_ARM64_REG_SP_EL2,
                             UC_ARM64_REG_SP_EL3};
    return pstate & 1 ? banks[pstate >> 2 & 3] : banks[0];
}

} // namespace

std::uint64_t read_system_register(uc_struct *uc, SystemRegister reg) {
    auto name = name_of(reg, 0);
    uc_reg_read(uc, UC_ARM64_REG_CP_REG, &name);
    return name.val;
}

void write_system_register(uc_struct *uc, SystemRegister reg, std::uint64_t value) {
    auto name = name_of(reg, value);
    uc_reg_write(uc, UC_ARM64_REG_CP_REG, &name);
}

std::uint64_t read_pstate(uc_struct *uc) {
    std::uint64_t value = 0;
    uc_reg_read(uc, UC_ARM64_REG_PSTATE, &value);
    return value & 0xFFFF'FFFF;
}

void write_pstate(uc_struct *uc, std::uint64_t value) {
    std::uint64_t before = read_pstate(uc);
    constexpr std::uint64_t mode = 0xF;
    if ((before & mode) == (value & mode)) {
        uc_reg_write(uc, UC_ARM64_REG_PSTATE, &value);
        return;
    }
    std::uint64_t sp = 0;
    uc_reg_read(uc, UC_ARM64_REG_SP, &sp);
    uc_reg_write(uc, sp_of(before), &sp);
    uc_reg_read(uc, sp_of(value), &sp);
    uc_reg_write(uc, UC_ARM64_REG_PSTATE, &value);
    uc_reg_write(uc, UC_ARM64_REG_SP, &sp);
    // Any write through CP_REG rebuilds the flags that the translator goes by.
    write_system_register(uc, tpidr_el0, read_system_register(uc, tpidr_el0));
}

unsigned current_el(uc_struct *uc) { return read_pstate(uc) >> 2 & 3; }

} // namespace twin::a64
