//! A task of embassy at EL3 that an interrupt from the PL wakes. It knows nothing of irqscope.
#![no_std]
#![no_main]

use aarch64_rt::{ExceptionHandlers, InitialPagetable, RegisterStateRef, entry};
use arm_gic::gicv2::GicV2;
use arm_gic::{IntId, InterruptGroup, Trigger};
use atomic_waker::AtomicWaker;
use core::future::poll_fn;
use core::sync::atomic::{AtomicBool, Ordering};
use core::task::Poll;
use embassy_executor::{Executor, Spawner};
use static_cell::StaticCell;

const GIC: (usize, usize) = (0xF901_0000, 0xF902_0000);
/// Line 0 of the PL.
const LINE: u32 = 121;

static CAME: AtomicBool = AtomicBool::new(false);
static WAKER: AtomicWaker = AtomicWaker::new();
static EXECUTOR: StaticCell<Executor> = StaticCell::new();

/// Blocks of 1 GiB: DDR, then the devices of the processor system.
const MEMORY: usize = 1 | 1 << 2 | 3 << 8 | 1 << 10;
const DEVICE: usize = 1 | 1 << 10 | 1 << 54;

aarch64_rt::initial_pagetable!({
    let mut blocks = [0; 512];
    blocks[0] = MEMORY;
    blocks[3] = DEVICE | 0xC000_0000;
    InitialPagetable(blocks)
});
aarch64_rt::exception_handlers!(Exceptions);
entry!(start);

fn gic() -> GicV2<'static> {
    unsafe { GicV2::new(GIC.0 as *mut _, GIC.1 as *mut _) }
}

#[inline(never)]
fn on_line() {
    CAME.store(true, Ordering::Release);
    WAKER.wake();
}

struct Exceptions;

impl ExceptionHandlers for Exceptions {
    extern "C" fn irq_current(_: RegisterStateRef) {
        gic().handle_interrupt(InterruptGroup::Group0, |_| on_line());
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn woken(count: u32) -> u32 {
    core::hint::black_box(count + 1)
}

async fn line() {
    poll_fn(|context| {
        WAKER.register(context.waker());
        match CAME.swap(false, Ordering::Acquire) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await
}

#[embassy_executor::task]
async fn work() {
    let mut count = 0;
    loop {
        line().await;
        count = woken(count);
    }
}

fn start(_: u64, _: u64, _: u64, _: u64) -> ! {
    let id = IntId::spi(LINE - 32);
    let mut gic = gic();
    gic.setup();
    gic.set_group(id, InterruptGroup::Group0);
    gic.set_trigger(id, Trigger::Edge);
    gic.set_interrupt_priority(id, 0x80);
    // arm-gic does not say which core gets an interrupt: that is GICD_ITARGETSR.
    unsafe { ((GIC.0 + 0x800 + LINE as usize) as *mut u8).write_volatile(1) };
    gic.enable_group0(true);
    gic.enable_interrupt(id, true).unwrap();
    // SCR_EL3: interrupts come to EL3.
    unsafe { core::arch::asm!("msr scr_el3, {}", "isb", in(reg) 0b10u64) };
    EXECUTOR.init(Executor::new()).run(|spawner: Spawner| {
        spawner.spawn(work().unwrap());
        arm_gic::irq_enable();
    })
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo) -> ! {
    loop {}
}
