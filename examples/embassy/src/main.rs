//! A task of embassy that an external interrupt wakes. It knows nothing of irqscope.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::signal::Signal;
use riscv::interrupt::Interrupt;

/// A register of the board that takes the line back.
const OUTPUT: *mut u32 = 0x1001_2000 as *mut u32;

static LINE: Signal<CriticalSectionRawMutex, u32> = Signal::new();

#[riscv_rt::core_interrupt(Interrupt::MachineExternal)]
fn on_line() {
    unsafe { OUTPUT.write_volatile(1) };
    LINE.signal(1);
}

#[no_mangle]
#[inline(never)]
extern "C" fn woken(count: u32) -> u32 {
    unsafe { OUTPUT.add(1).write_volatile(count) };
    count + 1
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    unsafe {
        riscv::register::mie::set_mext();
        riscv::interrupt::enable();
    }
    let mut count = 0;
    loop {
        LINE.wait().await;
        count = woken(count);
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
