/** What a supervised process runs, when it is ready, how it is stopped, and what it reports. */

export interface Launch {
  readonly file: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  readonly cwd?: string
  readonly uid?: number
  readonly gid?: number
  /**
   * Opens a channel to the child, which closes when the supervisor ends. For Node processes only.
   */
  readonly channel: boolean
}

export interface ProcessPlan {
  readonly name: string
  /** Called before every start, so it may also remove what a crash left. */
  readonly launch: () => Promise<Launch>
  /** Throws while the process is not ready. */
  readonly probe: () => Promise<void>
  readonly readyMsMax: number
  /** Tried in order. SIGKILL follows automatically. */
  readonly stopSteps: readonly StopStep[]
  /** Lowers the scheduling priority (lower-priority.ts). */
  readonly hasLowerPriority?: boolean
  /**
   * How a new run of the same plan replaces the running one. Without it, the process is restarted.
   */
  readonly handOver?: HandOver
}

export interface StopStep {
  readonly signal: NodeJS.Signals
  readonly waitMs: number
}

/**
 * `beside`: a second process becomes ready on the same port, then the first ends by `ending`.
 * `signal`: on this signal, the process itself replaces the part that answers requests.
 */
export type HandOver =
  | { readonly kind: 'beside'; readonly ending: StopStep }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals }

export interface ProcessReport {
  readonly line: (name: string, line: string) => void
  readonly started: (name: string, pid: number) => Promise<void>
  readonly exited: (name: string, how: string, restartMs: number) => void
  readonly broughtBack: (name: string) => void
}
