/** Entry of the generator's thread: creates the workload once, then runs one load after another. */
import assert from 'node:assert'
import { parentPort, workerData } from 'node:worker_threads'
import type { GeneratorReply, GeneratorRequest } from './generator.ts'
import { runLoad } from './load.ts'
import { buildWorkload, type WorkloadOptions } from './workload.ts'

assert(parentPort !== null)
const port = parentPort
const templates = buildWorkload(workerData as WorkloadOptions)
const reply = (message: GeneratorReply): void => port.postMessage(message)

port.on('message', async (request: GeneratorRequest) => {
  try {
    const onProgress = (answered: number): void => reply({ kind: 'progress', answered })
    const { answered, ...result } = await runLoad({ ...request.options, onProgress }, templates)
    reply({ kind: 'done', result: { ...result, answeredBits: answered.bytes } })
  } catch (error) {
    reply({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
})
reply({ kind: 'ready' })
