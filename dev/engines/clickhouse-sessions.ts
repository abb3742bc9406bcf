/**
 * A pool of sessions on one embedded engine. A session runs one query at a time and keeps its
 * settings, database and parameters, so these are adjusted to the call before its query runs.
 * Sessions run concurrently, each on a thread of libuv. Reads, inserts and changes of tables have
 * sessions of their own: a read never queues behind inserts, nor an insert behind a mutation that
 * takes minutes.
 */
import { Session } from 'chdb'
import { type Lane, type LaneSizes, laneOf } from './clickhouse-lanes.ts'
import { type ClickHouseCall, sqlIdentifier, sqlString } from './clickhouse-request.ts'

/** Calls beyond this number of waiting ones are rejected, as on a ClickHouse server. */
const waitingMax = 1_000

/** Defaults of every session: a result is buffered in memory before it is sent. */
const ownSettings: readonly (readonly [string, string])[] = [
  ['max_result_bytes', String(256 * 1024 * 1024)],
  ['result_overflow_mode', 'throw'],
]

export interface QueryResult {
  readonly bytes: Uint8Array
  readonly rowsRead: number
  readonly bytesRead: number
  readonly elapsedSeconds: number
}

export type CallState = Pick<ClickHouseCall, 'database' | 'format' | 'settings' | 'params'>

interface Slot {
  session: Session
  database: string
  settings: ReadonlyMap<string, string>
  params: ReadonlyMap<string, string>
}

export class TooManyQueries extends Error {
  override readonly name = 'TooManyQueries'
}

export class ClickHouseSessions {
  readonly #folder: string
  readonly #lanes: Readonly<Record<Lane, SlotQueue>>

  constructor(folder: string, sizes: LaneSizes) {
    this.#folder = folder
    const queue = (lane: Lane) => new SlotQueue(sizes[lane], () => newSlot(folder))
    this.#lanes = { read: queue('read'), insert: queue('insert'), change: queue('change') }
  }

  async run(sql: string, state: CallState): Promise<QueryResult> {
    const lane = this.#lanes[laneOf(sql)]
    const slot = await lane.take()
    try {
      await this.#adjust(slot, sql, state)
      const result = await slot.session.queryAsync(sql, { format: state.format })
      return {
        bytes: result.bytes(),
        rowsRead: result.rowsRead,
        bytesRead: result.bytesRead,
        elapsedSeconds: result.elapsed,
      }
    } finally {
      lane.give(slot)
    }
  }

  /** A failed change leaves the session in an unknown state, so a new session replaces it. */
  async #adjust(slot: Slot, sql: string, state: CallState): Promise<void> {
    try {
      await adjust(slot, sql, state)
    } catch (error) {
      slot.session.close()
      Object.assign(slot, newSlot(this.#folder))
      throw error
    }
  }

  /** Waits for running queries. Calls that still wait for a session never get one. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#lanes).map((lane) => lane.close()))
  }
}

/** The sessions of one lane, and the calls that wait for one, first come first served. */
class SlotQueue {
  readonly #size: number
  readonly #free: Slot[]
  readonly #waiting: ((slot: Slot) => void)[] = []

  constructor(size: number, makeSlot: () => Slot) {
    this.#size = size
    this.#free = Array.from({ length: size }, makeSlot)
  }

  take(options?: { first: boolean }): Promise<Slot> {
    const slot = this.#free.pop()
    if (slot) return Promise.resolve(slot)
    if (this.#waiting.length >= waitingMax) {
      return Promise.reject(new TooManyQueries(`more than ${waitingMax} queries are waiting`))
    }
    return new Promise((resolve) => {
      if (options?.first) this.#waiting.unshift(resolve)
      else this.#waiting.push(resolve)
    })
  }

  give(slot: Slot): void {
    const next = this.#waiting.shift()
    if (next) next(slot)
    else this.#free.push(slot)
  }

  async close(): Promise<void> {
    for (let closed = 0; closed < this.#size; closed++) {
      const slot = await this.take({ first: true })
      slot.session.close()
    }
  }
}

function newSlot(folder: string): Slot {
  return {
    session: new Session(folder),
    database: 'default',
    settings: new Map(),
    params: new Map(),
  }
}

async function adjust(slot: Slot, sql: string, state: CallState): Promise<void> {
  for (const param of slot.params.keys()) {
    // The session would substitute the value of an earlier call; a server reports it as missing.
    if (!state.params.has(param) && new RegExp(`\\{\\s*${param}\\s*:`).test(sql)) {
      throw new Error(
        `Code: 456. DB::Exception: Substitution \`${param}\` is not set. (UNKNOWN_QUERY_PARAMETER)`,
      )
    }
  }
  const settings = new Map([...ownSettings, ...state.settings])
  const changes = [
    ...settingChanges(slot.settings, settings),
    ...[...state.params]
      .filter(([param, value]) => slot.params.get(param) !== value)
      .map(([param, value]) => `param_${param} = ${sqlString(value)}`),
  ]
  if (changes.length > 0) await slot.session.queryAsync(`set ${changes.join(', ')}`)
  slot.settings = settings
  slot.params = new Map([...slot.params, ...state.params])
  if (slot.database === state.database) return
  await slot.session.queryAsync(`use ${sqlIdentifier(state.database)}`)
  slot.database = state.database
}

/** `name = value` for new and changed settings, `name = default` for those no longer requested. */
function settingChanges(before: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>) {
  const set = [...wanted]
    .filter(([name, value]) => before.get(name) !== value)
    .map(([name, value]) => `${name} = ${sqlString(value)}`)
  const unset = [...before.keys()]
    .filter((name) => !wanted.has(name))
    .map((name) => `${name} = default`)
  return [...set, ...unset]
}
