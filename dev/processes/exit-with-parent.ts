/**
 * Preloaded (`node --import`) into every Node process that the supervisor starts. When the
 * supervisor is killed, the channel to it closes; the process then drains as after a signal, and is
 * killed after `drainMsMax`. If native code blocks the main thread, kill-with-parent.ts kills it.
 */
import { isMainThread } from 'node:worker_threads'

const drainMsMax = 3_000

// Worker threads load this file too, and must not act for the process.
if (isMainThread) {
  // The channel may have closed before this code ran, if the supervisor was killed during the
  // start.
  if (process.connected) process.once('disconnect', leave)
  else leave()
  // The open channel must not keep a process running that has nothing left to do.
  process.channel?.unref()
}

function leave(): void {
  // `process.exit` would wait for threads of native code.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), drainMsMax).unref()
  process.kill(process.pid, 'SIGINT')
}
