//! Shapes.
use std::fmt::{self, Display};
extern crate serde;

/// How many there may be.
pub const LIMIT: usize = 100;
static mut COUNT: u32 = 0;

/// A shape.
///
/// Of some kind.
#[derive(Debug, Clone)]
pub struct Shape<T> {
    /// In pixels.
    pub width: T,
    name: String,
}

struct Pair(i32, i32);

#[derive(Copy)]
pub enum Color {
    Red,
    Custom(u8, u8),
    Named { name: &'static str },
}

pub trait Area {
    type Unit;
    const SIDES: u32;
    fn area(&self) -> f64;
    fn twice(&self) -> f64 { self.area() * 2.0 }
}

impl<T> Shape<T> {
    pub fn new(width: T) -> Self {
        fn helper() {}
        Shape { width, name: String::new() }
    }
}

impl<T: Copy> Area for Shape<T> {
    type Unit = T;
    const SIDES: u32 = 4;
    #[inline]
    fn area(&self) -> f64 { 1.0 }
}

impl Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}
impl fmt::Debug for Color {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }
}

macro_rules! square {
    ($x:expr) => { $x * $x };
}

mod inner {
    pub(crate) async unsafe fn deep() {}
}

extern "C" {
    fn c_area(shape: *const u8) -> f64;
}

type Shapes = Vec<Shape<f64>>;
union Bits { whole: u32, half: u16 }
