/**
 * Saves a draft while the person types: one request at a time, a moment after the last key. A draft
 * that somebody else has changed is not overwritten: saving stops until the person decides.
 */

export type SaveState =
  | { readonly kind: 'saved'; readonly at: string }
  | { readonly kind: 'unsaved' }
  | { readonly kind: 'saving' }
  /** The server refuses the values; the next edit tries again. */
  | { readonly kind: 'refused'; readonly problem: Error }
  /** No answer; it is tried again by itself. */
  | { readonly kind: 'waiting'; readonly problem: Error }
  | { readonly kind: 'conflict' }
  /** The campaign is no draft any more. */
  | { readonly kind: 'ended'; readonly problem: Error }

export type Verdict = 'conflict' | 'ended' | 'refused' | 'waiting'

export interface AutosaveOptions<Fields extends object> {
  /** The version that the fields were read from. */
  readonly version: string
  /** Resolves to the new version. */
  readonly save: (change: Partial<Fields>, version: string) => Promise<string>
  readonly judge: (error: unknown) => Verdict
  readonly onState: (state: SaveState) => void
  /** Called when the edits change that would be lost if the page were closed. */
  readonly onUnsaved?: (change: Partial<Fields>, version: string) => void
  /** Edits of an earlier visit, made on `version`; they are saved in a moment. */
  readonly unsaved?: Partial<Fields> | undefined
  readonly setTimer: (run: () => void, ms: number) => unknown
  readonly clearTimer: (timer: never) => void
}

export const quietMs = 900
const retryMsMin = 2_000
const retryMsMax = 30_000

export class Autosave<Fields extends object> {
  readonly #options: AutosaveOptions<Fields>
  #version: string
  #state: SaveState
  #pending: Partial<Fields> = {}
  /** What the running request saves. */
  #sent: Partial<Fields> = {}
  #timer: unknown
  #running: Promise<void> | undefined
  #retryMs = retryMsMin
  #isDisposed = false

  constructor(options: AutosaveOptions<Fields>) {
    this.#options = options
    this.#version = options.version
    this.#state = { kind: 'saved', at: options.version }
    if (options.unsaved === undefined) return
    this.#pending = options.unsaved
    this.#state = { kind: 'unsaved' }
    this.#plan(quietMs)
  }

  get version(): string {
    return this.#version
  }

  get state(): SaveState {
    return this.#state
  }

  /** Whether something would be lost if the page were closed now. */
  get isDirty(): boolean {
    return this.#state.kind !== 'saved'
  }

  edit(change: Partial<Fields>): void {
    this.#pending = { ...this.#pending, ...change }
    this.#tellUnsaved()
    if (this.#state.kind === 'conflict' || this.#state.kind === 'ended') return
    if (this.#running === undefined) this.#show({ kind: 'unsaved' })
    this.#plan(quietMs)
  }

  /** Saves what is pending now. Resolves to whether everything is saved. */
  async flush(): Promise<boolean> {
    this.#stopTimer()
    while (this.#running !== undefined) await this.#running
    if (this.#hasPending() && this.#mayRun()) await this.#run()
    return this.#state.kind === 'saved'
  }

  /** After a conflict: keeps the text of this page and overwrites the newer version. */
  overwrite(version: string): Promise<boolean> {
    this.#version = version
    this.#show({ kind: 'unsaved' })
    return this.flush()
  }

  /** After a conflict: gives the edits up and goes on from the newer version. */
  accept(version: string): void {
    this.#stopTimer()
    this.#pending = {}
    this.#version = version
    this.#tellUnsaved()
    this.#show({ kind: 'saved', at: version })
  }

  /** The edits that are not saved. */
  get pending(): Partial<Fields> {
    return this.#pending
  }

  dispose(): void {
    this.#isDisposed = true
    this.#stopTimer()
  }

  #mayRun(): boolean {
    return this.#state.kind !== 'conflict' && this.#state.kind !== 'ended'
  }

  #hasPending(): boolean {
    return Object.keys(this.#pending).length > 0
  }

  #plan(ms: number): void {
    this.#stopTimer()
    this.#timer = this.#options.setTimer(() => void this.flush(), ms)
  }

  #stopTimer(): void {
    if (this.#timer !== undefined) this.#options.clearTimer(this.#timer as never)
    this.#timer = undefined
  }

  #tellUnsaved(): void {
    this.#options.onUnsaved?.({ ...this.#sent, ...this.#pending }, this.#version)
  }

  #show(state: SaveState): void {
    this.#state = state
    if (!this.#isDisposed) this.#options.onState(state)
  }

  #run(): Promise<void> {
    const change = this.#pending
    this.#pending = {}
    this.#sent = change
    this.#show({ kind: 'saving' })
    const running = this.#options.save(change, this.#version).then(
      (version) => {
        this.#version = version
        this.#sent = {}
        this.#tellUnsaved()
        this.#retryMs = retryMsMin
        this.#running = undefined
        if (this.#hasPending()) this.#show({ kind: 'unsaved' })
        else this.#show({ kind: 'saved', at: version })
      },
      (error: unknown) => {
        // What was typed meanwhile is newer than what was sent.
        this.#pending = { ...change, ...this.#pending }
        this.#sent = {}
        this.#running = undefined
        this.#fail(error)
      },
    )
    this.#running = running
    return running
  }

  #fail(error: unknown): void {
    const problem = error instanceof Error ? error : new Error(String(error))
    const kind = this.#options.judge(error)
    if (kind === 'conflict') {
      this.#stopTimer()
      this.#show({ kind })
      return
    }
    this.#show({ kind, problem })
    if (kind !== 'waiting' || this.#isDisposed) return
    this.#plan(this.#retryMs)
    this.#retryMs = Math.min(this.#retryMs * 2, retryMsMax)
  }
}
