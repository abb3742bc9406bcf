/**
 * Sends the requests of a round at their times. A client that cannot connect tries the next ingest
 * process, as a load balancer would; any response is final.
 */
import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#platform/clock.ts'
import type { LoadPlan, ProjectRole } from './plan-load.ts'
import type { Answer, RoundLedger } from './round-ledger.ts'
import type { RoundProject } from './round-projects.ts'

/** Where requests of a project go. */
export type Dsn = Pick<RoundProject, 'dsnId' | 'publicKey'>

export type Ledgers = Readonly<Record<ProjectRole, RoundLedger>>
export type RoundProjects = Readonly<Record<ProjectRole, RoundProject>>

/** Longer than ingest waits for the broker, and longer than any pause of a round. */
const answerMsMax = 15_000

export class Sender {
  readonly #urls: readonly string[]
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 256 })

  /** @param urls of the ingest processes. */
  constructor(urls: readonly string[]) {
    this.#urls = urls
  }

  async sendAll(plan: LoadPlan, projects: RoundProjects, ledgers: Ledgers): Promise<void> {
    const startedAtMs = systemClock.monotonicMs()
    const pending: Promise<void>[] = []
    for (const request of plan.requests) {
      const waitMs = request.atMs - (systemClock.monotonicMs() - startedAtMs)
      if (waitMs > 1) await sleep(waitMs)
      const ledger = ledgers[request.project]
      const work = this.sendAnywhere(projects[request.project], request, request.ingest)
      pending.push(work.then((answer) => ledger.record(request, answer)))
    }
    await Promise.all(pending)
  }

  /** Tries the processes in turn, beginning with `first`, until one accepts the connection. */
  async sendAnywhere(
    project: Dsn,
    request: { readonly body: Buffer; readonly gzip: boolean },
    first: number,
  ): Promise<Answer> {
    for (let tried = 0; tried < this.#urls.length; tried += 1) {
      const url = this.#urls[(first + tried) % this.#urls.length]!
      const answer = await this.#send(url, project, request)
      if (answer.kind !== 'refused') return answer
    }
    return { kind: 'refused' }
  }

  close(): void {
    this.#agent.destroy()
  }

  #send(
    url: string,
    project: Dsn,
    { body, gzip }: { readonly body: Buffer; readonly gzip: boolean },
  ): Promise<Answer> {
    const path = `/api/${project.dsnId}/envelope/?sentry_key=${project.publicKey}&sentry_version=7`
    return new Promise((resolve) => {
      const request = httpRequest(new URL(path, url), {
        method: 'POST',
        agent: this.#agent,
        headers: {
          'content-length': body.length,
          'content-type': 'application/x-sentry-envelope',
          ...(gzip ? { 'content-encoding': 'gzip' } : {}),
        },
        signal: AbortSignal.timeout(answerMsMax),
      })
      request.on('response', (response) => {
        // The status is the answer, even if the body breaks off.
        response.on('error', () => undefined)
        response.resume()
        resolve({ kind: 'answered', status: response.statusCode ?? 0 })
      })
      request.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') resolve({ kind: 'refused' })
        else resolve({ kind: error.code === 'ABORT_ERR' ? 'late' : 'broken' })
      })
      request.end(body)
    })
  }
}
