/**
 * Measures the longest slice of work on this thread: its CPU time between two turns of its event
 * loop. Time in which other programs use the processor does not count, so a busy machine does not
 * look like a blocked event loop.
 */
import { readFileSync } from 'node:fs'

/**
 * Exists on Linux only. On other systems wall-clock time is used, and the repeated attempts of a
 * test even out the difference.
 */
const cpuFile = '/proc/thread-self/schedstat'

function cpuTime(): () => number {
  try {
    readFileSync(cpuFile)
    return () => Number(readFileSync(cpuFile, 'utf8').split(' ', 1)[0]) / 1e6
  } catch {
    return () => performance.now()
  }
}

const threadMs = cpuTime()

/** The longest slice, in milliseconds, while `work` runs and in the turn after it. */
export async function longestSliceMs(work: () => Promise<void>): Promise<number> {
  let longest = 0
  let isOver = false
  await new Promise(setImmediate)
  let last = threadMs()
  const turn = () => {
    const now = threadMs()
    longest = Math.max(longest, now - last)
    last = now
    if (!isOver) setImmediate(turn)
  }
  setImmediate(turn)
  try {
    await work()
    await new Promise((resolve) => setTimeout(resolve, 20))
  } finally {
    isOver = true
  }
  return longest
}

const referenceText = JSON.stringify(
  Array.from({ length: 40_000 }, (_, no) => ({ no, name: `n${no}` })),
)
/** CPU time of the reference task on the machine for which the limits were set. */
const referenceMsUsual = 20

/** How much slower this machine is now than the reference machine; at least 1. */
export function slowness(): number {
  const times = Array.from({ length: 3 }, () => {
    const before = threadMs()
    JSON.parse(referenceText)
    return threadMs() - before
  })
  return Math.max(1, Math.min(...times) / referenceMsUsual)
}
