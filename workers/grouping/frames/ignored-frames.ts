/**
 * Frames that are ignored in any stack: the client library that reported the error, polyfills, the
 * start of threads and event loops, and the machinery of throwing. Part of g1, data included:
 * frozen once shipped, a change is g2.
 */
import type { Frame } from '../../normalize/event.ts'
import type { PlatformFamily } from './platform-family.ts'

const reporter = 'it belongs to the error reporting client'
const polyfill = 'it is a polyfill or part of the event loop'
const threadStart = 'every thread starts there'
const throwing = 'it is part of how errors are thrown'

const javaScriptReporter = /[\\/]node_modules[\\/](?:@sentry(?:-internal)?|raven(?:-js)?)[\\/]/
const javaScriptPolyfill = /[\\/](?:@babel|core-js(?:-pure)?|regenerator-runtime|tslib)[\\/]/

const jvmThreadStarts = new Set([
  'java.lang.Thread.run',
  'java.util.concurrent.ThreadPoolExecutor.runWorker',
  'java.util.concurrent.ThreadPoolExecutor$Worker.run',
  'java.util.concurrent.FutureTask.run',
  'com.android.internal.os.ZygoteInit.main',
  'com.android.internal.os.RuntimeInit$MethodAndArgsCaller.run',
  'android.os.Looper.loop',
])

const nativeThreadStarts = new Set([
  '_start',
  'start',
  'clone',
  'clone3',
  '__clone',
  'start_thread',
  'thread_start',
  '_pthread_start',
  '__pthread_start',
  '_pthread_body',
  '__libc_start_main',
  '__libc_start_call_main',
  'BaseThreadInitThunk',
  'RtlUserThreadStart',
  '__RtlUserThreadStart',
  '__scrt_common_main_seh',
])

const rustStarts = [
  'std::rt::lang_start',
  'std::sys::',
  'std::sys_common::',
  '__rust_begin_short_backtrace',
]

/** Says why the frame is ignored; empty when it is not. */
export function ignoredBecause(family: PlatformFamily, frame: Frame): string {
  const { function: name = '', module = '', abs_path: absPath = '' } = frame
  if (isThrowMachinery(family, frame)) return throwing
  switch (family) {
    case 'javascript': {
      if (name.endsWith('processTicksAndRejections')) return polyfill
      const path = frame.abs_path ?? frame.filename ?? ''
      if (path.length < 8) return ''
      if (javaScriptReporter.test(path)) return reporter
      return javaScriptPolyfill.test(path) ? polyfill : ''
    }
    case 'python':
      if (module === 'threading') return threadStart
      return module.startsWith('sentry_sdk') || module.startsWith('raven.') ? reporter : ''
    case 'jvm':
      if (module.startsWith('io.sentry.')) return reporter
      return jvmThreadStarts.has(`${module}.${name}`) ? threadStart : ''
    case 'php':
      return name.startsWith('Sentry\\') || absPath.includes('/vendor/sentry/') ? reporter : ''
    case 'ruby':
      return absPath.includes('/gems/sentry-') ? reporter : ''
    case 'csharp':
      return module.startsWith('Sentry.') ? reporter : ''
    case 'go':
      if (module.startsWith('github.com/getsentry/')) return reporter
      return module === 'runtime' && (name === 'goexit' || name === 'main') ? threadStart : ''
    case 'native':
      if (nativeThreadStarts.has(name)) return threadStart
      if (/^(?:sentry|sentry_core|sentry_panic)(?:::|_)/.test(name)) return reporter
      return rustStarts.some((start) => name.includes(start)) ? threadStart : ''
    case 'other':
      return ''
  }
}

const nativeThrows = new Set([
  '__cxa_throw',
  '__cxa_rethrow',
  '_CxxThrowException',
  'RaiseException',
  'std::terminate',
  'std::terminate()',
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
  'objc_exception_throw',
  '__exceptionPreprocess',
  '-[NSException raise]',
  '+[NSException raise:format:]',
  '_swift_runtime_on_report',
  '_assertionFailure',
  'rust_panic',
  'rust_begin_unwind',
  '_rust_begin_unwind',
  '__rust_start_panic',
])

const rustThrow =
  /^(?:core::panicking::|std::panicking::|core::(?:option|result)::(?:unwrap|expect)_failed)/
const goThrow = /^(?:gopanic|panic|sigpanic|goPanic|throw|fatal)/

/** True for a frame that throws or panics; it and all frames nearer the crash are ignored. */
export function isThrowMachinery(family: PlatformFamily, frame: Frame): boolean {
  const { function: name = '', module } = frame
  if (family === 'native') return nativeThrows.has(name) || rustThrow.test(name)
  if (family === 'go') return module === 'runtime' && goThrow.test(name)
  return false
}
