/**
 * A load generator in its own thread, so that work of the measuring process does not slow it down.
 * Event counters continue from one load to the next.
 */
import { Worker } from 'node:worker_threads'
import { AnsweredIds } from './answered-ids.ts'
import type { LoadOptions, LoadResult } from './load.ts'
import type { WorkloadOptions } from './workload.ts'

export interface GeneratorRequest {
  readonly options: Omit<LoadOptions, 'onProgress'>
}

export type GeneratorReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly answered: number }
  | { readonly kind: 'done'; readonly result: ThreadResult }
  | { readonly kind: 'failed'; readonly message: string }

type ThreadResult = Omit<LoadResult, 'answered'> & {
  readonly answeredBits: Uint8Array<ArrayBuffer>
}

export interface Generator {
  run(
    options: Omit<LoadOptions, 'counterFirst' | 'onProgress'>,
    onProgress?: (answered: number) => void,
  ): Promise<LoadResult>
  stop(): Promise<void>
}

export async function startGenerator(workload: WorkloadOptions): Promise<Generator> {
  const worker = new Worker(new URL('./generator-thread.js', import.meta.url), {
    workerData: workload,
  })
  let counterFirst = 0

  /** Passes messages to `onReply` until it returns a result. */
  function listen<T>(onReply: (reply: GeneratorReply) => T | undefined): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const settle = (finish: () => void): void => {
        worker.off('message', onMessage)
        worker.off('error', onError)
        finish()
      }
      const onMessage = (reply: GeneratorReply): void => {
        if (reply.kind === 'failed') {
          settle(() => reject(new Error(`the generator failed: ${reply.message}`)))
          return
        }
        const last = onReply(reply)
        if (last !== undefined) settle(() => resolve(last))
      }
      const onError = (error: unknown): void =>
        settle(() => reject(error instanceof Error ? error : new Error(String(error))))
      worker.on('message', onMessage)
      worker.on('error', onError)
    })
  }

  await listen((reply) => (reply.kind === 'ready' ? true : undefined))
  return {
    async run(options, onProgress) {
      const done = listen((reply) => {
        if (reply.kind === 'progress') onProgress?.(reply.answered)
        return reply.kind === 'done' ? reply.result : undefined
      })
      const request: GeneratorRequest = { options: { ...options, counterFirst } }
      worker.postMessage(request)
      const { answeredBits, ...result } = await done
      counterFirst = result.counterEnd
      return { ...result, answered: new AnsweredIds(answeredBits) }
    },
    async stop() {
      await worker.terminate()
    },
  }
}
