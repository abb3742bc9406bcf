import { describe, expect, test } from 'vitest'
import {
  buildEvent,
  type EventInShort,
  type FrameInShort,
} from '../../../test/fixtures/grouping/build-event.ts'
import { groupEvent } from '../group-v1.ts'

// cspell:ignore anonfun dyld genexpr isize listcomp manglings Subviews vtable

type Wanted = 'same' | 'different'

function error(
  platform: string,
  frames: readonly FrameInShort[],
  rest: EventInShort & { type?: string; value?: string } = {},
): EventInShort {
  const { type = 'Error', value = 'x', ...others } = rest
  return { platform, exceptions: [{ type, value, frames }], ...others }
}

function joined(left: EventInShort, right: EventInShort): Wanted {
  const known = new Set(groupEvent(buildEvent(left)).hashes.map(({ hash }) => hash))
  return groupEvent(buildEvent(right)).hashes.some(({ hash }) => known.has(hash))
    ? 'same'
    : 'different'
}

/** Functions as a backtrace lists them: nearest the crash first. */
function backtrace(text: string): FrameInShort[] {
  const names = text.trim().split(/\n\s*/)
  return names.reverse().map((name) => ({ function: name, package: '/srv/shop/bin/shop' }))
}

// Recorded with rustc 1.95 in both manglings: an error captured with its stack, and a panic.
const rustOld = backtrace(`
  a::shop::fail
  a::shop::Cart<T>::price::{{closure}}
  a::shop::Cart<T>::price::{{closure}}
  core::iter::adapters::map::map_fold::{{closure}}
  core::iter::traits::iterator::Iterator::fold
  <core::iter::adapters::map::Map<I,F> as core::iter::traits::iterator::Iterator>::fold
  alloc::vec::Vec<T,A>::extend_trusted
  a::shop::Cart<T>::price
  <a::shop::Cart<T> as a::shop::Add>::add
  a::main
  core::ops::function::FnOnce::call_once
  std::sys::backtrace::__rust_begin_short_backtrace
  std::rt::lang_start::{{closure}}
  std::panicking::catch_unwind::do_call
  std::panicking::catch_unwind
  std::panic::catch_unwind
  std::rt::lang_start_internal
  std::rt::lang_start
  main
  __libc_start_call_main
  __libc_start_main_impl
  _start`)
const rustNew = backtrace(`
  a::shop::fail
  <a::shop::Cart<u8>>::price::{closure#0}
  <a::shop::Cart<u8>>::price::{closure#1}
  core::iter::adapters::map::map_fold::<i32, (), <a::shop::Cart<u8>>::price::{closure#1}>::{closure#0}
  <core::ops::range::Range<i32> as core::iter::traits::iterator::Iterator>::fold::<(), i32>
  <alloc::vec::Vec<core::result::Result<usize, alloc::string::String>>>::extend_trusted::<u8>
  <a::shop::Cart<u8>>::price
  <a::shop::Cart<u8> as a::shop::Add>::add
  a::main
  <fn() as core::ops::function::FnOnce<()>>::call_once
  std::sys::backtrace::__rust_begin_short_backtrace::<fn(), ()>
  std::rt::lang_start::<()>::{closure#0}
  std::panicking::catch_unwind::do_call::<&dyn core::ops::function::Fn<(), Output = i32>, i32>
  std::panicking::catch_unwind::<i32, &dyn core::ops::function::Fn<(), Output = i32>>
  std::panic::catch_unwind::<std::rt::lang_start_internal::{closure#0}, isize>
  std::rt::lang_start_internal
  std::rt::lang_start::<()>
  main
  __libc_start_call_main
  __libc_start_main_impl
  _start`)
const rustPanicEndOld = `
  std::panicking::panic_with_hook
  std::panicking::begin_panic_handler::{{closure}}
  std::sys::backtrace::__rust_end_short_backtrace
  rust_begin_unwind
  core::panicking::panic_fmt
  core::panicking::panic_bounds_check`
const rustPanicEndNew = `
  a::main::{closure#0}
  <alloc::boxed::Box<dyn for<'a> core::ops::function::Fn<(&'a u8,), Output = ()>> as core::ops::function::Fn<(&u8,)>>::call
  std::panicking::panic_with_hook
  std::panicking::panic_handler::{closure#0}
  std::sys::backtrace::__rust_end_short_backtrace::<std::panicking::panic_handler::{closure#0}, !>
  __rustc::rust_begin_unwind
  core::panicking::panic_fmt
  core::panicking::panic_bounds_check
  <usize as core::slice::index::SliceIndex<[usize]>>::index
  <alloc::vec::Vec<usize> as core::ops::index::Index<usize>>::index`
const rustThreadOld = `
  a::shop::fail
  a::main::{{closure}}
  std::sys::backtrace::__rust_begin_short_backtrace
  std::thread::Builder::spawn_unchecked_::{{closure}}::{{closure}}
  <core::panic::unwind_safe::AssertUnwindSafe<F> as core::ops::function::FnOnce<()>>::call_once
  std::panicking::try::do_call
  __rust_try
  std::panicking::try
  core::ops::function::FnOnce::call_once{{vtable.shim}}
  <alloc::boxed::Box<F,A> as core::ops::function::FnOnce<Args>>::call_once
  std::sys::pal::unix::thread::Thread::new::thread_start
  start_thread
  clone3`
const rustThreadNew = `
  a::shop::fail
  a::main::{closure#1}
  std::sys::backtrace::__rust_begin_short_backtrace::<a::main::{closure#1}, ()>
  std::thread::lifecycle::spawn_unchecked::<a::main::{closure#1}, ()>::{closure#1}::{closure#0}
  <core::panic::unwind_safe::AssertUnwindSafe<std::thread::lifecycle::spawn_unchecked<a::main::{closure#1}, ()>::{closure#1}::{closure#0}> as core::ops::function::FnOnce<()>>::call_once
  std::panicking::catch_unwind::do_call::<core::panic::unwind_safe::AssertUnwindSafe<u8>, ()>
  __rust_try
  std::panicking::catch_unwind::<(), core::panic::unwind_safe::AssertUnwindSafe<u8>>
  <std::thread::lifecycle::spawn_unchecked<a::main::{closure#1}, ()>::{closure#1} as core::ops::function::FnOnce<()>>::call_once::{shim:vtable#0}
  <std::sys::thread::unix::Thread>::new::thread_start
  start_thread
  clone3`
const renamed = (frames: readonly FrameInShort[], from: string, to: string): FrameInShort[] =>
  frames.map((frame) => ({ ...frame, function: (frame.function ?? '').replace(from, to) }))

const rust = (frames: readonly FrameInShort[]) => error('rust', frames)

const image = (name: string) => `/private/var/containers/Bundle/Application/1A2B/Shop.app/${name}`
const systemImage = '/System/Library/Frameworks/UIKitCore.framework/UIKitCore'
const ios = (crash: readonly string[], own: readonly string[] = [], inApp?: boolean) =>
  error(
    'cocoa',
    [
      { function: 'start', package: '/usr/lib/dyld' },
      { function: 'main', package: image('Shop'), inApp },
      { function: 'UIApplicationMain', package: systemImage, inApp },
      { function: '-[UIApplication _run]', package: systemImage },
      { function: '__CFRunLoopRun', package: systemImage },
      ...own.map((name) => ({ function: name, package: image('Shop'), inApp })),
      ...crash.map((name) => ({ function: name, package: systemImage })),
    ],
    { type: 'EXC_BAD_ACCESS' },
  )
const unnamed = (mechanism: object, frames: readonly FrameInShort[] = []): EventInShort => ({
  platform: 'cocoa',
  exceptions: [{ mechanism, frames }],
})
const android = (...frames: readonly (readonly [module: string, name: string])[]) =>
  error(
    'java',
    frames.map(([module, name]) => ({ module, function: name, inApp: true })),
  )

const app = 'https://a.example/static/app.js'
const js = (...frames: readonly (readonly [name: string, path?: string])[]) =>
  error(
    'javascript',
    frames.map(([name, path = app]) => ({ function: name, filename: path, absPath: path })),
    { type: 'TypeError' },
  )
const module = (platform: string, place: string, ...names: readonly string[]) =>
  error(
    platform,
    names.map((name) => ({ module: place, function: name, filename: `${place}.x`, inApp: true })),
  )
const typed = (platform: string, type: string, place: string): EventInShort => ({
  platform,
  exceptions: [{ type, module: place, frames: [{ module: 'shop', function: 'add', inApp: true }] }],
})

// biome-ignore format: the columns are the point
const rows: readonly (readonly [group: string, pairs: readonly (readonly [name: string, left: EventInShort, right: EventInShort, want: Wanted])[]])[] = [
  ['rust', [
    ['the two manglings of one captured error', rust(rustOld), rust(rustNew), 'same'],
    ['two captured errors in the old mangling', rust(rustOld), rust(renamed(rustOld, 'shop::fail', 'shop::parse')), 'different'],
    ['two captured errors in the new mangling', rust(rustNew), rust(renamed(rustNew, 'shop::fail', 'shop::parse')), 'different'],
    ['the two manglings of one panic', rust(backtrace(rustPanicEndOld + rustThreadOld)), rust(backtrace(rustPanicEndNew + rustThreadNew)), 'same'],
    ['two panics in a thread', rust(backtrace(rustPanicEndNew + rustThreadNew)), rust(renamed(backtrace(rustPanicEndNew + rustThreadNew), 'shop::fail', 'shop::parse')), 'different'],
    ['a panic with and without the hook', rust(backtrace(`${rustThreadOld}`)), rust(backtrace(rustPanicEndOld + rustThreadOld)), 'same'],
    ['the C library names its start', rust(rustOld), rust(renamed(rustOld, '__libc_start_main_impl', '__libc_start_main@@GLIBC_2.34')), 'same'],
  ]],
  ['native and mobile', [
    ['a main that counts as in-app does not join two crashes', ios(['-[UIView layoutSubviews]'], [], true), ios(['-[UITableView reloadData]'], [], true), 'different'],
    ['frames without in_app do neither', ios(['-[UIView layoutSubviews]']), ios(['-[UITableView reloadData]']), 'different'],
    ['the image says what is in-app', ios(['objc_msgSend'], ['-[Cart add]']), ios(['objc_retain'], ['-[Cart add]']), 'same'],
    ['callers in the system do not matter', ios(['a', 'b', 'c', 'd', 'e', 'crash']), ios(['z', 'b', 'c', 'd', 'e', 'crash']), 'same'],
    ['a crash on the main thread and on another', error('native', [{ function: 'main', package: '/srv/shop' }, { function: 'sync', package: '/srv/shop' }]), error('native', [{ function: 'start_thread', package: '/lib64/libc.so.6' }, { function: 'sync', package: '/srv/shop' }]), 'same'],
    ['two signals in the system', unnamed({ signal: { name: 'SIGSEGV', code: '1' } }, [{ function: 'memcpy', package: '/usr/lib/libc.so.6' }]), unnamed({ signal: { name: 'SIGBUS', code: '1' } }, [{ function: 'memcpy', package: '/usr/lib/libc.so.6' }]), 'different'],
    ['two signals in one own function', unnamed({ signal: { name: 'SIGSEGV', code: '1' } }, [{ function: 'add', package: '/srv/shop' }]), unnamed({ signal: { name: 'SIGBUS', code: '1' } }, [{ function: 'add', package: '/srv/shop' }]), 'same'],
    ['two codes without type, value and stack', unnamed({ nsError: { domain: 'D', code: '1' } }), unnamed({ nsError: { domain: 'D', code: '2' } }), 'different'],
    ['the loop of Android does not join two crashes', android(['com.android.internal.os.ZygoteInit', 'main'], ['android.app.ActivityThread', 'main'], ['android.view.A', 'a']), android(['com.android.internal.os.ZygoteInit', 'main'], ['android.app.ActivityThread', 'main'], ['android.view.B', 'b']), 'different'],
    ['nor the start of a thread of Windows', error('native', [{ function: 'RtlUserThreadStart', inApp: true }, { function: 'A', package: 'C:\\Windows\\user32.dll' }]), error('native', [{ function: 'RtlUserThreadStart', inApp: true }, { function: 'B', package: 'C:\\Windows\\user32.dll' }]), 'different'],
  ]],
  ['javascript', [
    ['a callback of map in Chrome and Firefox', js(['totals'], ['Array.map', '<anonymous>'], ['?']), js(['totals'], ['totals/<']), 'same'],
    ['a callback of map in Safari and Hermes', js(['totals'], ['map', '[native code]'], ['?']), js(['totals'], ['map', 'native'], ['anonymous']), 'same'],
    ['async functions', js(['async start'], ['async load'], ['price']), js(['async*'], ['async*start'], ['async*load'], ['price']), 'same'],
    ['the origin of a timer', js(['poll'], ['price']), js(['start'], ['setTimeout handler*start'], ['poll'], ['price']), 'same'],
    ['the origin of a promise', js(['poll'], ['price']), js(['EventListener.handleEvent*start'], ['promise callback*start'], ['poll'], ['price']), 'same'],
    ['the top of a script', js(['?'], ['price']), js(['global code'], ['price']), 'same'],
    ['a method, in Chrome and Firefox', js(['Cart.addItem'], ['price']), js(['Cart.prototype.addItem'], ['addItem/price']), 'same'],
    ['another function is another issue', js(['Cart.addItem'], ['price']), js(['Cart.addItem'], ['name']), 'different'],
    ['a renumbered chunk', js(['add', 'https://a.example/271.4f3c2a1b.chunk.js']), js(['add', 'https://a.example/318.99ff00aa.chunk.js']), 'same'],
    ['another named chunk', js(['add', 'https://a.example/cart.4f3c2a1b.chunk.js']), js(['add', 'https://a.example/list.99ff00aa.chunk.js']), 'different'],
    ['a chunk of Vite', js(['add', 'https://a.example/assets/Cart-CklMnOpQ.js']), js(['add', 'https://a.example/assets/Cart-B-xX9_Mw.js']), 'same'],
    ['two chunks of Vite', js(['add', 'https://a.example/assets/Cart-CklMnOpQ.js']), js(['add', 'https://a.example/assets/List-CklMnOpQ.js']), 'different'],
    ['two versions of a library by its address', js(['add'], ['Xb', 'https://unpkg.com/react-dom@16/umd/react-dom.production.min.js'], ['price']), js(['add'], ['Yc', 'https://unpkg.com/react-dom@17.0.2/umd/react-dom.production.min.js'], ['price']), 'same'],
    ['helpers of compilers', js(['add'], ['_asyncToGenerator'], ['asyncGeneratorStep'], ['_next'], ['price']), js(['add'], ['price']), 'same'],
    ['polyfills by package', js(['add'], ['x', 'webpack:///./node_modules/core-js/modules/es.promise.js'], ['price']), js(['add'], ['y', 'webpack:///./node_modules/.pnpm/core-js@3.1.0/core-js/a.js'], ['price']), 'same'],
  ]],
  ['others', [
    ['C# ordinals', module('csharp', 'Shop.Cart', '<Pay>b__3_0'), module('csharp', 'Shop.Cart', '<Pay>b__4_0'), 'same'],
    ['C# lambdas of two methods', module('csharp', 'Shop.Cart', '<Pay>b__3_0'), module('csharp', 'Shop.Cart', '<Add>b__3_0'), 'different'],
    ['C# state machines', module('csharp', 'Shop.Cart+<Pay>d__3', 'MoveNext'), module('csharp', 'Shop.Cart+<Pay>d__7', 'MoveNext'), 'same'],
    ['Ruby 3.3 and 3.4', error('ruby', [{ function: 'call', filename: 'cart.rb' }]), error('ruby', [{ function: 'Foo#call', filename: 'cart.rb' }]), 'same'],
    ['Ruby 3.4 with a client that reads the class', error('ruby', [{ function: 'call', filename: 'cart.rb' }]), error('ruby', [{ function: 'call', module: 'Foo', filename: 'cart.rb' }]), 'same'],
    ['Kotlin accessors and defaults', module('java', 'app.Cart', 'load', 'add'), module('java', 'app.Cart', 'load', 'access$add', 'add$default', 'add'), 'same'],
    ['Kotlin classes of lambdas', module('java', 'app.Cart$load$1', 'invokeSuspend'), module('java', 'app.Cart$load$2', 'invokeSuspend'), 'same'],
    ['Kotlin lambdas as classes and as methods', module('java', 'app.Cart$load$1', 'invoke'), module('java', 'app.Cart', 'load$lambda$0'), 'same'],
    ['Kotlin nested lambdas', module('java', 'app.Cart$Companion$load$1$2', 'invoke'), module('java', 'app.Cart$Companion', 'load$lambda$1$lambda$0'), 'same'],
    ['Kotlin lambdas of two methods', module('java', 'app.Cart$load$1', 'invoke'), module('java', 'app.Cart$save$1', 'invoke'), 'different'],
    ['a class with a function invoke', module('java', 'app.Cart$Load', 'invoke'), module('java', 'app.Cart', 'Load'), 'different'],
    ['Scala functions', module('java', 'app.Cart$', '$anonfun$run$1'), module('java', 'app.Cart$', '$anonfun$run$7$adapted', '$anonfun$run$7'), 'same'],
    ['Scala functions of two methods', module('java', 'app.Cart$', '$anonfun$run$1'), module('java', 'app.Cart$', '$anonfun$add$1'), 'different'],
    ['Go closures', module('go', 'shop/cart', 'Add.func1.2'), module('go', 'shop/cart', 'Add.func2.1'), 'same'],
    ['Go closures of two functions', module('go', 'shop/cart', 'Add.func1'), module('go', 'shop/cart', 'Run.func1'), 'different'],
    ['Python comprehensions', module('python', 'shop.cart', 'total', '<listcomp>', 'price'), module('python', 'shop.cart', 'total', 'price'), 'same'],
    ['Python generators stay', module('python', 'shop.cart', 'total', '<genexpr>', 'price'), module('python', 'shop.cart', 'total', 'price'), 'different'],
    ['PHP 8.3 and 8.4 closures', error('php', [{ function: 'App\\Cart::App\\{closure}', filename: '/cart.php' }]), error('php', [{ function: 'App\\Cart::{closure:App\\Cart::add():12}', filename: '/cart.php' }]), 'same'],
  ]],
  ['types', [
    ['two namespaces', typed('java', 'TimeoutException', 'java.util'), typed('java', 'TimeoutException', 'app.net'), 'different'],
    ['the namespace in the type or beside it', typed('java', 'app.CartException', ''), typed('java', 'CartException', 'app'), 'same'],
    ['the built-ins of Python', typed('python', 'KeyError', 'builtins'), typed('python', 'KeyError', ''), 'same'],
    ['an assembly of .NET with its version', typed('csharp', 'System.Exception', 'System.Private.CoreLib, Version=8.0.0.0'), typed('csharp', 'System.Exception', 'System.Private.CoreLib, Version=9.0.0.0'), 'same'],
    ['Ruby names the namespace twice', typed('ruby', 'Shop::CartError', 'Shop'), typed('ruby', 'Shop::CartError', ''), 'same'],
  ]],
]

describe.each(rows)('%s', (_group, pairs) => {
  test.each(pairs)('%s', (_name, left, right, want) => {
    expect(joined(left, right)).toBe(want)
  })
})
