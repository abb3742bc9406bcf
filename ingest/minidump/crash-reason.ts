/** Names of what ended a program, as its system numbers them. */
import type { Minidump } from './read-minidump.ts'

const signals: ReadonlyMap<number, string> = new Map([
  [3, 'SIGQUIT'],
  [4, 'SIGILL'],
  [5, 'SIGTRAP'],
  [6, 'SIGABRT'],
  [7, 'SIGBUS'],
  [8, 'SIGFPE'],
  [11, 'SIGSEGV'],
  [13, 'SIGPIPE'],
  [15, 'SIGTERM'],
  [31, 'SIGSYS'],
])

const machExceptions: ReadonlyMap<number, string> = new Map([
  [1, 'EXC_BAD_ACCESS'],
  [2, 'EXC_BAD_INSTRUCTION'],
  [3, 'EXC_ARITHMETIC'],
  [4, 'EXC_EMULATION'],
  [5, 'EXC_SOFTWARE'],
  [6, 'EXC_BREAKPOINT'],
  [10, 'EXC_CRASH'],
  [11, 'EXC_RESOURCE'],
  [12, 'EXC_GUARD'],
])

const windowsCodes: ReadonlyMap<number, string> = new Map([
  [0x80000002, 'EXCEPTION_DATATYPE_MISALIGNMENT'],
  [0x80000003, 'EXCEPTION_BREAKPOINT'],
  [0x80000004, 'EXCEPTION_SINGLE_STEP'],
  [0xc0000005, 'EXCEPTION_ACCESS_VIOLATION'],
  [0xc0000006, 'EXCEPTION_IN_PAGE_ERROR'],
  [0xc0000008, 'EXCEPTION_INVALID_HANDLE'],
  [0xc0000017, 'EXCEPTION_NO_MEMORY'],
  [0xc000001d, 'EXCEPTION_ILLEGAL_INSTRUCTION'],
  [0xc0000025, 'EXCEPTION_NONCONTINUABLE_EXCEPTION'],
  [0xc000008c, 'EXCEPTION_ARRAY_BOUNDS_EXCEEDED'],
  [0xc000008e, 'EXCEPTION_FLT_DIVIDE_BY_ZERO'],
  [0xc0000094, 'EXCEPTION_INT_DIVIDE_BY_ZERO'],
  [0xc0000095, 'EXCEPTION_INT_OVERFLOW'],
  [0xc0000096, 'EXCEPTION_PRIV_INSTRUCTION'],
  [0xc00000fd, 'EXCEPTION_STACK_OVERFLOW'],
  [0xc0000374, 'STATUS_HEAP_CORRUPTION'],
  [0xc0000409, 'STATUS_STACK_BUFFER_OVERRUN'],
  [0xe06d7363, 'Unhandled C++ Exception'],
])

export function crashReason({ os, crash }: Minidump): string {
  if (crash === undefined) return 'Minidump'
  const { code } = crash
  const known =
    os === 'windows'
      ? windowsCodes.get(code)
      : os === 'macos' || os === 'ios'
        ? machExceptions.get(code)
        : signals.get(code)
  return known ?? `0x${code.toString(16)}`
}
