/** A project of one test: its DSN to send to, and the API to see what became of it. */
import { expect } from 'vitest'
import type { EventDetail, EventItem } from '#schemas/rest/event.ts'
import type { IssueDetail, IssueItem } from '#schemas/rest/issue.ts'
import type { OutcomeReport } from '#schemas/rest/outcome-report.ts'
import { type RawRequest, type RawResponse, send } from './raw-http.ts'
import type { RunningProduct } from './running-product.ts'
import { waitUntil } from './wait-until.ts'

/** As `project create --json` prints it. */
export interface MadeProject {
  readonly id: string
  readonly dsn_id: string
  readonly dsn: string
}

export interface ApiAnswer<Body> {
  readonly status: number
  readonly body: Body
}

interface Page<Item> {
  readonly items: Item[]
  readonly next_cursor: string | null
}

/** `outcome reason category` with the quantity, as in `{ 'accepted error': 2 }`. */
export type Books = Readonly<Record<string, number>>

export class TestProject {
  readonly id: string
  readonly dsn: string
  readonly dsnId: string
  readonly publicKey: string
  readonly #product: RunningProduct
  readonly #token: string

  constructor(product: RunningProduct, made: MadeProject, token: string) {
    this.#product = product
    this.#token = token
    this.id = made.id
    this.dsn = made.dsn
    this.dsnId = made.dsn_id
    this.publicKey = new URL(made.dsn).username
  }

  /** Where an SDK would post, with its credentials. */
  path(format: 'envelope' | 'store' = 'envelope'): string {
    return `/api/${this.dsnId}/${format}/?sentry_key=${this.publicKey}&sentry_version=7`
  }

  send(request: Partial<RawRequest>): Promise<RawResponse> {
    return send(this.#product.stack.urls.ingest, { path: this.path(), ...request })
  }

  /** Waits until so many events are stored with their issue, and fails when there are more. */
  async hasEvents(count: number): Promise<void> {
    const stored = await waitUntil(`${count} events of project ${this.dsnId}`, async () => {
      const now = await this.countedEvents()
      return now >= count && now
    }).catch(async (error: unknown) => {
      throw new Error(`${await this.countedEvents()} of ${count} events were stored`, {
        cause: error,
      })
    })
    expect(stored).toBe(count)
  }

  async countedEvents(): Promise<number> {
    const text = 'select coalesce(sum(count), 0)::bigint as count from issues where project_id = $1'
    const { rows } = await this.#product.postgres.query(text, [this.dsnId])
    return rows[0].count
  }

  async api<Body>(path: string, init: RequestInit = {}): Promise<ApiAnswer<Body>> {
    const { urls } = this.#product.stack
    const response = await fetch(`${urls.api}/api/v1/projects/${this.id}${path}`, {
      ...init,
      headers: { 'x-api-key': this.#token, 'content-type': 'application/json' },
    })
    return { status: response.status, body: (await response.json()) as Body }
  }

  async issues(): Promise<IssueItem[]> {
    return (await this.#read<Page<IssueItem>>('/issues')).items
  }

  /** The only issue there is. */
  async issue(): Promise<IssueDetail> {
    const issues = await this.issues()
    expect(issues.map(({ title }) => title)).toHaveLength(1)
    return this.#read<IssueDetail>(`/issues/${issues[0]!.id}`)
  }

  async changeIssue(issueId: string, status: string): Promise<ApiAnswer<IssueItem>> {
    const body = JSON.stringify({ status })
    return this.api(`/issues/${issueId}`, { method: 'PATCH', body })
  }

  /** Newest first. */
  async events(): Promise<EventItem[]> {
    return (await this.#read<Page<EventItem>>('/events?limit=100')).items
  }

  event(eventId: string): Promise<EventDetail> {
    return this.#read(`/events/${eventId}`)
  }

  /** The only event there is. */
  async onlyEvent(): Promise<EventDetail> {
    const events = await this.events()
    expect(events).toHaveLength(1)
    return this.event(events[0]!.id)
  }

  async books(): Promise<Books> {
    const groups = 'outcome,reason,category'
    const { totals } = await this.#read<OutcomeReport>(`/outcomes?group_by=${groups}`)
    return Object.fromEntries(
      totals.map(({ outcome, reason, category, quantity }) => [
        [outcome, reason, category].filter(Boolean).join(' '),
        quantity,
      ]),
    )
  }

  /** Waits until as many items have an outcome as `books` holds, and compares them as the API shows them. */
  async hasBooks(books: Books): Promise<void> {
    const wanted = Object.values(books).reduce((sum, quantity) => sum + quantity, 0)
    const query = 'select sum(quantity) as sum from outcomes where project_id = {id: UInt64}'
    await waitUntil(`${wanted} outcomes of project ${this.dsnId}`, async () => {
      const [row] = await this.#product.rowsOf<{ sum: string }>(query, { id: this.dsnId })
      return wanted <= Number(row?.sum)
    }).catch(() => undefined)
    expect(await this.books()).toEqual(books)
  }

  /** Waits until the outcomes that `books` names have these quantities, whatever others there are. */
  async hasBooksAmong(books: Books): Promise<void> {
    await waitUntil(`outcomes of project ${this.dsnId}`, async () => {
      const known = await this.books()
      return Object.entries(books).every(([name, quantity]) => known[name] === quantity)
    }).catch(() => undefined)
    expect(await this.books()).toMatchObject(books)
  }

  async #read<Body>(path: string): Promise<Body> {
    const { status, body } = await this.api<Body>(path)
    expect({ path, status, body: status === 200 ? '' : body }).toMatchObject({ status: 200 })
    return body
  }
}
