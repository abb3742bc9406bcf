/**
 * Frames that are ignored in any stack: the client library that reported the error, polyfills, the
 * start of threads and event loops, logging, and the machinery of throwing. Part of g1, data
 * included: a change of any hash must be meant.
 */
import type { Frame } from '../../normalize/event.ts'
import { isThreadBase, jvmThreadStarts } from './base-frames.ts'
import { isEngineFunction, javaScriptHelpers } from './clean-javascript-function.ts'
import { isLogModule } from './log-calls.ts'
import { bareNativeName } from './native-name.ts'
import type { PlatformFamily } from './platform-family.ts'
import { remember } from './remember.ts'
import { isRustStart, isRustThrow } from './rust-names.ts'

// cspell:ignore corejs cxxabiv dictcomp listcomp setcomp tgkill

const reporter = 'it belongs to the error reporting client'
const polyfill = 'it is a polyfill or part of the event loop'
const threadStart = 'every thread starts there'
const throwing = 'it is part of how errors are thrown'
const logging = 'it is a log call'
const inlined = 'newer versions of the language have no such frame'
const asyncGap = 'it marks where an asynchronous function went on'
/** Clients of Dart send it as the function, or as the path. */
const asyncGapName = '<asynchronous suspension>'
const engine = 'it is a function of the engine, which only some engines list'

const javaScriptReporter = /[\\/]node_modules[\\/](?:@sentry(?:-internal)?|raven(?:-js)?)[\\/]/
/** Ends after the name, so that `tslib-extra/` is not `tslib/` but `tslib@2/` is. */
const polyfillPackage =
  /(?:^|[\\/])(?:@babel[\\/+](?:runtime|polyfill)(?:-corejs[23])?|@swc[\\/+]helpers|core-js(?:-pure|-bundle)?|regenerator-runtime|regenerator-transform|tslib|zone\.js(?=[\\/@])|es6-promise|promise-polyfill|whatwg-fetch|babel-polyfill)(?:@[\w.^~-]{1,30})?(?:[\\/]|$)/
const polyfillFile =
  /(?:^|[\\/])(?:polyfills?(?:[.-][\w.-]{0,60})?|zone(?:\.min|-evergreen|-mix|\.umd|\.umd\.min))\.[cm]?js(?:[?#]|$)/

/** How the runtime calls a method by its name; the classes differ by its version. */
const jvmTrampoline = /^(?:com\.android\.internal\.os\.|sun\.reflect\.|jdk\.internal\.reflect\.)/

/** Says why the frame is ignored; empty when it is not. */
export function ignoredBecause(family: PlatformFamily, frame: Frame): string {
  const { function: name = '', module = '', abs_path: absPath = '' } = frame
  if (isThrowMachinery(family, frame)) return throwing
  switch (family) {
    case 'javascript':
      return javaScriptIgnored(frame, name, module)
    case 'python':
      if (module === 'threading') return threadStart
      if (name === '<listcomp>' || name === '<dictcomp>' || name === '<setcomp>') return inlined
      if (isLogModule(family, module)) return logging
      return module.startsWith('sentry_sdk') || module.startsWith('raven.') ? reporter : ''
    case 'jvm':
      if (module.startsWith('io.sentry.')) return reporter
      if (isLogModule(family, module)) return logging
      if (jvmTrampoline.test(module)) return threadStart
      return jvmThreadStarts.has(`${module}.${name}`) ? threadStart : ''
    case 'php':
      return name.startsWith('Sentry\\') || absPath.includes('/vendor/sentry/') ? reporter : ''
    case 'ruby':
      return absPath.includes('/gems/sentry-') ? reporter : ''
    case 'csharp':
      if (isLogModule(family, module)) return logging
      // The frames of a text that Unity logged have the class in the function.
      return (module || name).startsWith('Sentry.') ? reporter : ''
    case 'go':
      if (module.startsWith('github.com/getsentry/')) return reporter
      if (isLogModule(family, module)) return logging
      return module === 'runtime' && (name === 'goexit' || name === 'main') ? threadStart : ''
    case 'native':
      if (isThreadBase(bareNativeName(name))) return threadStart
      if (nativeReporter.test(name)) return reporter
      return name.includes('::') && isRustStart(name) ? threadStart : ''
    case 'other':
      return name === asyncGapName || absPath === asyncGapName ? asyncGap : ''
  }
}

const nativeReporter =
  /^(?:sentry(?:_core|_panic|_anyhow|_backtrace|_tracing|_log)?(?:::|_)|<sentry|backtrace::|std::backtrace::|<std::backtrace::|-\[Sentry|\+\[Sentry)/

/** The functions that programs call: `sentry_value_set_stacktrace`. */
export function isClientForC(name: string | undefined): boolean {
  return name?.startsWith('sentry_') === true && !name.includes('::')
}

function javaScriptIgnored(frame: Frame, name: string, module: string): string {
  if (name !== '' && javaScriptHelpers.has(name)) return polyfill
  const path = frame.abs_path ?? frame.filename ?? ''
  if (path === '' || path.startsWith('index ')) {
    if (name !== '' && isEngineFunction(name)) return engine
  } else {
    const ignored = ignoredPath(path)
    if (ignored !== '') return ignored
  }
  if (module !== '') {
    const ignored = ignoredModule(module)
    if (ignored !== '') return ignored
  }
  if (name === 'async*') return engine
  return name.endsWith('processTicksAndRejections') ? polyfill : ''
}

const ignoredModule = remember((module) => (polyfillPackage.test(module) ? polyfill : ''))

const ignoredPath = remember((path) => {
  if (enginePaths.has(path) || path.endsWith('InternalBytecode.js')) return engine
  if (javaScriptReporter.test(path)) return reporter
  return polyfillPackage.test(path) || polyfillFile.test(path) ? polyfill : ''
})

/** What engines write instead of a file for their own functions. */
const enginePaths = new Set([
  '<anonymous>',
  '[native code]',
  'native code',
  'native',
  'self-hosted',
  '(native)',
])

const nativeThrows = new Set([
  '__cxa_throw',
  '__cxa_rethrow',
  '_CxxThrowException',
  'RaiseException',
  'std::terminate',
  'std::__terminate',
  '__cxxabiv1::__terminate',
  '__cxxabiv1::failed_throw',
  'demangling_terminate_handler',
  'abort_message',
  '_objc_terminate',
  'terminate',
  '_invalid_parameter',
  'RtlRaiseException',
  'KiUserExceptionDispatch',
  'KiUserExceptionDispatcher',
  'abort_with_payload',
  'abort',
  '__GI_abort',
  'raise',
  '__GI_raise',
  'gsignal',
  'pthread_kill',
  '__pthread_kill',
  '__pthread_kill_implementation',
  '__assert_rtn',
  '__assert_fail',
  '__assert_fail_base',
  '__assert2',
  '__libc_message',
  '__fortify_fail',
  '__fortify_fatal',
  '__stack_chk_fail',
  '__pthread_kill_internal',
  'tgkill',
  'objc_exception_rethrow',
  '+[NSException raise:format:arguments:]',
  'objc_exception_throw',
  '__exceptionPreprocess',
  '-[NSException raise]',
  '+[NSException raise:format:]',
  '_swift_runtime_on_report',
  '_assertionFailure',
  'Swift._assertionFailure',
  'Swift._fatalErrorMessage',
  '_fatalErrorMessage',
  'fatalError',
  'Swift.fatalError',
  'rust_panic',
  'rust_begin_unwind',
  '__rustc::rust_begin_unwind',
  '__rustc::__rust_start_panic',
  '__rustc::rust_panic',
  '_rust_begin_unwind',
  '__rust_start_panic',
])

const goThrow = /^(?:gopanic|panic|sigpanic|goPanic|throw|fatal)/

/** True for a frame that throws or panics; it and all frames nearer the crash are ignored. */
export function isThrowMachinery(family: PlatformFamily, frame: Frame): boolean {
  if (family === 'native') {
    const { function: name = '' } = frame
    if (name.length < 4) return false
    return nativeThrows.has(bareNativeName(name)) || (name.includes('::') && isRustThrow(name))
  }
  if (family === 'go') return frame.module === 'runtime' && goThrow.test(frame.function ?? '')
  return false
}
