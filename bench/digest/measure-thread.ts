/**
 * Measures the digest of one build in a thread of its own, so that two builds share neither
 * compiled code nor a heap. `workerData` names the build; each message asks for one round and names
 * the workload; the answer is the CPU time in µs for each event.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
// biome-ignore lint/style/noRestrictedImports: what it measures is a function of the workers.
import type { RangeInput, RangeOutput } from '../../workers/digest/range.ts'
import { digestSizes, makeWorkload, type Workload } from './make-ranges.ts'

const { folder } = z.object({ folder: z.string() }).parse(workerData)
const module = join(folder, 'dist/workers/digest/digest-range.js')
const { digestRange } = (await import(pathToFileURL(module).href)) as {
  digestRange: (input: RangeInput) => RangeOutput
}
const workloads = new Map<number, Workload>()

parentPort?.on('message', (message: unknown) => {
  const kb = z.number().parse(message)
  const size = digestSizes.find((one) => one.kb === kb)!
  const load = workloads.get(kb) ?? makeWorkload(kb, size.eventCount)
  workloads.set(kb, load)
  // One thread works at a time, so the time of the process is its own, with its garbage collection.
  const before = process.cpuUsage()
  let events = 0
  for (const range of load.ranges) events += digestRange(range).eventCount
  const { user, system } = process.cpuUsage(before)
  if (events !== load.eventCount)
    throw new Error(`${load.eventCount - events} events without a row`)
  parentPort?.postMessage((user + system) / events)
})
