//! RTIC: the external interrupt pends a hardware task, which spawns a software task. It knows
//! nothing of irqscope.
#![no_std]
#![no_main]

use e310x::interrupt::CoreInterrupt;

/// A register of the board that takes the line back.
const OUTPUT: *mut u32 = 0x1001_2000 as *mut u32;

// riscv-rt's own table, which is weak, is at any address of whole 4 bytes; Ibex takes 256.
core::arch::global_asm!(
    ".section .trap, \"ax\"",
    ".global _vector_table",
    ".option push; .option norvc; .option norelax",
    ".balign 256",
    "_vector_table: j _start_trap; j _start_trap; j _start_trap; j _start_MachineSoft_trap",
    ".rept 7; j _start_trap; .endr",
    "j _start_MachineExternal_trap",
    ".option pop",
);

#[riscv_rt::core_interrupt(CoreInterrupt::MachineExternal)]
unsafe fn on_line() {
    OUTPUT.write_volatile(1);
    rtic::export::pend(app::slic::SoftwareInterrupt::Line);
}

#[no_mangle]
#[inline(never)]
extern "C" fn answered() {
    unsafe { OUTPUT.add(2).write_volatile(1) };
}

#[no_mangle]
#[inline(never)]
extern "C" fn woken(count: u32) -> u32 {
    unsafe { OUTPUT.add(1).write_volatile(count) };
    count + 1
}

#[rtic::app(device = e310x, backend = H0)]
mod app {
    use e310x;

    #[shared]
    struct Shared {
        count: u32,
    }

    #[local]
    struct Local {}

    #[init]
    fn init(_: init::Context) -> (Shared, Local) {
        unsafe { riscv::register::mie::set_mext() };
        (Shared { count: 0 }, Local {})
    }

    #[idle]
    fn idle(_: idle::Context) -> ! {
        loop {
            riscv::asm::wfi();
        }
    }

    #[task(binds = Line, priority = 2)]
    fn line(_: line::Context) {
        crate::answered();
        work::spawn().ok();
    }

    #[task(priority = 1, shared = [count])]
    async fn work(mut context: work::Context) {
        context
            .shared
            .count
            .lock(|count| *count = crate::woken(*count));
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
