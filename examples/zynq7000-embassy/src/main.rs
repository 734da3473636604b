//! A task of embassy that an interrupt from the PL wakes. It knows nothing of irqscope.
#![no_std]
#![no_main]

use embassy_executor::Spawner;
use embassy_sync::blocking_mutex::raw::CriticalSectionRawMutex;
use embassy_sync::signal::Signal;
use zynq7000_hal::gic::{Configurator, SpiSensitivity};
use zynq7000_hal::{Config, Interrupt, SpiInterrupt};

static LINE: Signal<CriticalSectionRawMutex, u32> = Signal::new();

#[inline(never)]
unsafe fn on_line() {
    LINE.signal(1);
}

#[zynq7000_rt::irq]
fn irq() {
    let _ = unsafe { zynq7000_hal::generic_interrupt_handler() };
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn woken(count: u32) -> u32 {
    core::hint::black_box(count + 1)
}

#[embassy_executor::main(entry = "zynq7000_rt::entry")]
async fn main(_spawner: Spawner) -> ! {
    zynq7000_hal::register_interrupt(Interrupt::Spi(SpiInterrupt::Pl0), on_line);
    let _ = zynq7000_hal::init(Config::default());
    let _ = unsafe { Configurator::steal() }.set_pl_interrupt_sensitivity(0, SpiSensitivity::Edge);
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
