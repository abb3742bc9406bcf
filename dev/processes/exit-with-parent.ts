/**
 * Preloaded (`node --import`) into every Node process that the supervisor starts. When the
 * supervisor is killed, the channel to it closes; the process then drains as if it had been asked
 * to, and is killed after `drainMsMax` in any case: by itself, or by kill-with-parent.ts if it runs
 * native code that blocks its main thread.
 */
import { isMainThread } from 'node:worker_threads'

const drainMsMax = 3_000

// Worker threads load this file too, and must not answer for the process.
if (isMainThread) {
  // A supervisor that was killed while this process started has closed the channel before anybody
  // listened.
  if (process.connected) process.once('disconnect', leave)
  else leave()
  // The open channel alone must not keep a process alive that has nothing left to do.
  process.channel?.unref()
}

function leave(): void {
  // Not `process.exit`, which waits for threads of native code.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), drainMsMax).unref()
  process.kill(process.pid, 'SIGINT')
}
