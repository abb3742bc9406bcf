/**
 * The name of the SDK under which the items of a request are counted, from what the request says
 * about its client: `sentry.javascript.node/10.2.0` is counted as `sentry.javascript.node`.
 * Versions are left out, because each would be a row of its own. Names are limited, because anyone
 * with a DSN may invent them: those of known SDKs are always kept, others up to a number for each
 * project and hour; the rest is `other`.
 */
import type { ProjectId } from '#schemas/ids.ts'
import { isKnownSdk, otherSdk, sdkNameOf } from '#schemas/wire/sdk-name.ts'

const inventedPerHourMax = 20
const projectsMax = 10_000
/** Longer texts of clients are cut, so that those that are remembered are short. */
const clientCharactersMax = 128
/** Remembered texts of clients: names with versions. */
const clientsMax = 4096
const hourMs = 3_600_000

interface HourOfProject {
  readonly hour: number
  readonly invented: Set<string>
}

export class SdkNames {
  /** Names by the client's text, so that a request costs look-ups and no new strings. */
  readonly #names = new Map<string, string>()
  readonly #hours = new Map<ProjectId, HourOfProject>()

  /**
   * @param client name, or name and version, as the request has it; empty when it has none.
   * @returns empty when the client is unknown.
   */
  nameFor(projectId: ProjectId, client: string, nowMs: number): string {
    if (client === '') return ''
    const text =
      client.length <= clientCharactersMax ? client : client.slice(0, clientCharactersMax)
    const name = this.#names.get(text) ?? this.#keep(text)
    if (name === '' || isKnownSdk(name)) return name
    const { invented } = this.#hourOf(projectId, Math.floor(nowMs / hourMs))
    if (invented.has(name)) return name
    if (invented.size >= inventedPerHourMax) return otherSdk
    invented.add(name)
    return name
  }

  #hourOf(projectId: ProjectId, hour: number): HourOfProject {
    const known = this.#hours.get(projectId)
    if (known?.hour === hour) return known
    if (known === undefined && this.#hours.size >= projectsMax) this.#hours.clear()
    const fresh = { hour, invented: new Set<string>() }
    this.#hours.set(projectId, fresh)
    return fresh
  }

  #keep(client: string): string {
    if (this.#names.size >= clientsMax) this.#names.clear()
    const name = sdkNameOf(client)
    this.#names.set(client, name)
    return name
  }
}
