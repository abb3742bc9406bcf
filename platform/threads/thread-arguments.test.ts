import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { threadArguments } from './thread-arguments.ts'

const program = `
  const { parentPort, workerData } = require('node:worker_threads')
  let refusal
  try {
    require(workerData.path)
  } catch ({ code }) {
    refusal = code
  }
  import(workerData.url).then(({ default: loaded }) => parentPort.postMessage({ refusal, loaded }))
`
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-thread-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

// A later Node may have another name for the option.
test.runIf(threadArguments.length > 1)('a thread loads an ES module by import alone', async () => {
  const path = join(folder, 'module.mjs')
  await writeFile(path, "export default 'loaded'")
  const workerData = { path, url: pathToFileURL(path).href }
  const thread = new Worker(program, { eval: true, execArgv: [...threadArguments], workerData })
  const [message] = await once(thread, 'message')
  expect(message).toEqual({ refusal: 'ERR_REQUIRE_ESM', loaded: 'loaded' })
  await thread.terminate()
})
