/**
 * A thread that kills its process a few seconds after the parent of the process is gone. It needs
 * nothing of the main thread, which may be blocked in native code and then runs neither timers nor
 * handlers of signals. Start it with `killWithParent`.
 */
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { z } from 'zod'

/** Longer than a process that is not blocked takes to end (exit-with-parent.ts). */
const graceMs = 5_000
const pollMs = 500

const WatchData = z.object({ watchedParentPid: z.number() })

/**
 * The thread does not keep the process alive. Not for processes that are meant to outlive their
 * parent.
 */
export function killWithParent(parentPid = process.ppid): void {
  new Worker(fileURLToPath(import.meta.url), {
    workerData: { watchedParentPid: parentPid } satisfies z.infer<typeof WatchData>,
    // Nothing of what the process preloads.
    execArgv: [],
  }).unref()
}

const data = isMainThread ? undefined : WatchData.safeParse(workerData)
if (data?.success === true) {
  const { watchedParentPid } = data.data
  const timer = setInterval(() => {
    // An orphan gets another parent.
    if (process.ppid === watchedParentPid) return
    clearInterval(timer)
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs)
  }, pollMs)
}
