/**
 * Preloaded (`node --import`) into every Node process that the supervisor starts. When the supervisor
 * is killed, the channel to it closes; the process then drains as if it had been asked to, and is gone
 * a few seconds later in any case.
 */
import { isMainThread } from 'node:worker_threads'

const drainMsMax = 3_000

// Worker threads load this file too, and must not answer for the process.
if (isMainThread) {
  // A supervisor that was killed while this process started has closed the channel before anybody listened.
  if (process.connected) process.once('disconnect', leave)
  else leave()
  // The open channel alone must not keep a process alive that has nothing left to do.
  process.channel?.unref()
}

function leave(): void {
  setTimeout(() => process.exit(1), drainMsMax).unref()
  process.kill(process.pid, 'SIGINT')
}
