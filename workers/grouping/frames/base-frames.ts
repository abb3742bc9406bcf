/**
 * Frames at the outer end of native stacks: where threads start, where event loops run, and `main`.
 * They are on every stack of a program, so they say nothing about an error. Part of g1, data
 * included: a change of any hash must be meant.
 */

// cspell:ignore cdecl CFRUNLOOP wmain workloop wqthread

/** Ignored wherever they are, also when the client calls them in-app. */
const threadBases = new Set([
  '_start',
  'start',
  'start_sim',
  'clone',
  'clone3',
  '__clone',
  '__clone3',
  '__bionic_clone',
  'start_thread',
  'thread_start',
  '_pthread_start',
  '__pthread_start',
  '_pthread_body',
  '_pthread_wqthread',
  'start_wqthread',
  '_thread_start',
  'BaseThreadInitThunk',
  'RtlUserThreadStart',
  '__RtlUserThreadStart',
  '_RtlUserThreadStart',
  'LdrInitializeThunk',
  'thread_start<unsigned int (__cdecl*)(void *),1>',
  '__scrt_common_main',
  '__scrt_common_main_seh',
  'invoke_main',
  'mainCRTStartup',
  'wmainCRTStartup',
  'WinMainCRTStartup',
  'wWinMainCRTStartup',
  'UIApplicationMain',
  'NSApplicationMain',
  'NSExtensionMain',
  'GSEventRun',
  'GSEventRunModal',
  'CFRunLoopRun',
  'CFRunLoopRunSpecific',
  '_CFRunLoopRunSpecificWithOptions',
  '__CFRunLoopRun',
  '__CFRunLoopDoSource0',
  '__CFRunLoopDoSource1',
  '__CFRunLoopDoSources0',
  '__CFRunLoopDoBlocks',
  '__CFRunLoopDoTimer',
  '__CFRunLoopDoTimers',
  '__CFRunLoopDoObservers',
  '-[UIApplication _run]',
  '-[NSApplication run]',
  '-[NSRunLoop run]',
  '-[NSRunLoop(NSRunLoop) runMode:beforeDate:]',
  '-[NSRunLoop(NSRunLoop) runUntilDate:]',
  '_dispatch_call_block_and_release',
  '_dispatch_client_callout',
  '_dispatch_client_callout2',
  '_dispatch_main_queue_drain',
  '_dispatch_main_queue_callback_4CF',
  '_dispatch_root_queue_drain',
  '_dispatch_lane_serial_drain',
  '_dispatch_lane_invoke',
  '_dispatch_worker_thread2',
  '_dispatch_workloop_worker_thread',
  '_dispatch_queue_override_invoke',
  '__NSThread__start__',
  'g_main_loop_run',
  'g_main_context_iteration',
  'g_main_context_dispatch',
  'g_application_run',
  'gtk_main',
  'uv_run',
  'QCoreApplication::exec',
  'QGuiApplication::exec',
  'QApplication::exec',
  'QEventLoop::exec',
  'QThread::exec',
  'DispatchMessageW',
  'DispatchMessageA',
  'DispatchMessageWorker',
  'GetMessageW',
  'GetMessageA',
  'UserCallWinProcCheckWow',
  'android_main',
  'ALooper_pollOnce',
  '_main_trampoline',
  '__rust_try',
  '___rust_try',
])

const basePrefixes = [
  '__libc_start',
  '__CFRUNLOOP_IS_',
  'std::thread::_Invoker',
  'std::thread::_State_impl',
  'std::__invoke',
  'std::__thread_proxy',
  'std::__1::__thread_proxy',
  'void* std::__thread_proxy',
  'void* std::__1::__thread_proxy',
  'void *std::__1::__thread_proxy',
  'execute_native_thread_routine',
  'art::Thread::CreateCallback',
  'art::InvokeWithArgArray',
  'android::AndroidRuntime::',
]

/** Expects the name without its arguments. */
export function isThreadBase(name: string): boolean {
  if (threadBases.has(name)) return true
  for (const prefix of basePrefixes) if (name.startsWith(prefix)) return true
  return false
}

const mains = new Set(['main', '_main', 'wmain', 'WinMain', 'wWinMain', 'main.cold', '$main'])

/** The start of the program is on every stack of its first thread, and on no other. */
export function isMain(name: string): boolean {
  return mains.has(name) || name.endsWith('.$main')
}

/**
 * The Java names are `class.method`. Those of the runtime are no user code anyway, but a client may
 * call all frames in-app.
 */
export const jvmThreadStarts: ReadonlySet<string> = new Set([
  'java.lang.Thread.run',
  'java.lang.Thread.runWith',
  'java.lang.VirtualThread.run',
  'java.lang.reflect.Method.invoke',
  'java.lang.reflect.Constructor.newInstance',
  'java.util.concurrent.ThreadPoolExecutor.runWorker',
  'java.util.concurrent.ThreadPoolExecutor$Worker.run',
  'java.util.concurrent.FutureTask.run',
  'com.android.internal.os.ZygoteInit.main',
  'com.android.internal.os.RuntimeInit$MethodAndArgsCaller.run',
  'android.app.ActivityThread.main',
  'android.os.Looper.loop',
  'android.os.Looper.loopOnce',
  'android.os.Handler.dispatchMessage',
  'android.os.Handler.handleCallback',
])
