#pragma once

namespace staged {

// For a program that does one thing and ends: what it frees stays with it for its next allocation,
// where the C library would give large pieces back to the system and get them again, cleared, page
// by page. Call it first in main. Does nothing where the C library has no such choice.
void KeepFreedMemory();
// And threads take from what others freed, at the price of waiting for each other: for few threads
// with large pieces of memory. Call it before there is a second thread.
void ShareFreedMemory();

}  // namespace staged
