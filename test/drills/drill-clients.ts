/** The clients of a drill: an SDK, a reader of the API, a sender of email, and a balancer. */
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import type { Promises } from './accounting.ts'
import type { DrillProject, DrillStack } from './drill-stack.ts'
import { Probe } from './probe.ts'

export class DrillClients {
  readonly sdk: Probe
  readonly api: Probe
  readonly email: Probe
  readonly promises: Promises

  constructor(stack: DrillStack, project: DrillProject) {
    const { urls, demo } = stack.stack
    const eventIds = new Set<string>()
    const sentIds = new Set<string>()
    const subjects = new Set<string>()
    this.promises = { projectId: project.dsnId, eventIds, sentIds, subjects }
    this.sdk = new Probe({
      name: 'SDK',
      everyMs: 40,
      good: '200',
      call: async (signal) => {
        const id = randomBytes(16).toString('hex')
        sentIds.add(id)
        const status = await post(project.envelopeUrl, envelope(id), signal)
        if (status === 200) eventIds.add(id)
        return String(status)
      },
    })
    this.api = new Probe({
      name: 'API',
      everyMs: 250,
      good: '200',
      call: async (signal) => {
        const url = `${urls.api}/api/v1/projects/${project.id}/issues?limit=5`
        const response = await fetch(url, { headers: { 'x-api-key': demo.accessToken }, signal })
        await response.arrayBuffer()
        return String(response.status)
      },
    })
    this.email = new Probe({
      name: 'Email',
      everyMs: 500,
      good: '200',
      call: async (signal) => {
        const subject = `drill ${randomBytes(8).toString('hex')}`
        const response = await fetch(`${urls.api}/api/v1/send`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${demo.apiKey}`,
            'content-type': 'application/json',
            'idempotency-key': subject,
          },
          body: JSON.stringify({
            newsletter: demo.newsletter,
            to: 'drill@example.com',
            subject,
            markdown: 'Hi!',
          }),
          signal,
        })
        await response.arrayBuffer()
        if (response.ok) subjects.add(subject)
        return String(response.status)
      },
    })
  }

  get all(): readonly Probe[] {
    return [this.sdk, this.api, this.email]
  }
}

/** A connection of its own for every event, so that each one meets the fault. */
function post(url: string, body: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method: 'POST', agent: false, signal }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode ?? 0))
      response.once('error', reject)
    })
    call.once('error', reject)
    call.end(body)
  })
}

function envelope(id: string): string {
  const event = JSON.stringify({ message: `drill ${id.slice(0, 2)}`, level: 'error' })
  return `{"event_id":"${id}"}\n{"type":"event","length":${event.length}}\n${event}\n`
}
