/**
 * A thread that kills its process a few seconds after the parent process has ended. It works while
 * native code blocks the main thread, which then runs neither timers nor signal handlers. Start it
 * with `killWithParent`.
 */
import { fileURLToPath } from 'node:url'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { z } from 'zod'

/** Longer than a process that is not blocked takes to exit (exit-with-parent.ts). */
const graceMs = 5_000
const pollMs = 500

const WatchData = z.object({ watchedParentPid: z.number() })

/**
 * The thread does not keep the process running. Do not use it in processes that may outlive their
 * parent.
 */
export function killWithParent(parentPid = process.ppid): void {
  new Worker(fileURLToPath(import.meta.url), {
    workerData: { watchedParentPid: parentPid } satisfies z.infer<typeof WatchData>,
    // Skips the modules that the process preloads.
    execArgv: [],
  }).unref()
}

const data = isMainThread ? undefined : WatchData.safeParse(workerData)
if (data?.success === true) {
  const { watchedParentPid } = data.data
  const timer = setInterval(() => {
    // The parent pid changes when the parent ends.
    if (process.ppid === watchedParentPid) return
    clearInterval(timer)
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs)
  }, pollMs)
}
