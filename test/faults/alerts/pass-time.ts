/**
 * Lets the time pass that alerts wait for, so that a round does not take minutes: digest intervals
 * of a minute, delays between attempts, circuit breakers, and the leases and jobs of killed
 * workers. Everything else is left to the workers; even the jobs that find what was left behind are
 * enqueued as cron does it each minute, and run there.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '#platform/postgres.ts'

/**
 * Each statement skips rows that are in use: a worker that is stopped in a transaction must not
 * stop time.
 */
const statements = [
  `update alert_rules set next_notification_at = now() - interval '1 second' where id in (
     select id from alert_rules where next_notification_at > now() for no key update skip locked)`,
  `update notification_targets set open_until = now() - interval '1 second' where id in (
     select id from notification_targets where open_until > now() for no key update skip locked)`,
  `update notification_deliveries set next_attempt_at = now() - interval '1 second' where id in (
     select id from notification_deliveries where next_attempt_at > now() and state = 'pending'
     for no key update skip locked)`,
  // A worker that sends extends its lease to 30 s after each attempt.
  `update notification_targets set leased_until = now() where id in (
     select id from notification_targets
     where leased_until > now() and leased_until < now() + interval '27 seconds'
     for no key update skip locked)`,
  `update graphile_worker._private_jobs set run_at = now() where id in (
     select id from graphile_worker._private_jobs
     where run_at > now() and locked_at is null and (key like 'notify:%' or key like 'deliver:%')
     for no key update skip locked)`,
  ...['resume_notifications', 'resume_deliveries'].map(
    (task) => `select graphile_worker.add_job('${task}', job_key := 'cron:${task}')`,
  ),
]

export async function passTime(pg: Pool): Promise<void> {
  for (const statement of statements) await pg.query(statement)
}

/** Lets time pass every now and then, until it is ended. */
export class PassingTime {
  readonly #pg: Pool
  readonly #everyMs: number
  readonly #ending = new AbortController()
  readonly #done: Promise<void>

  constructor(pg: Pool, everyMs: number) {
    this.#pg = pg
    this.#everyMs = everyMs
    this.#done = this.#run()
  }

  async end(): Promise<void> {
    this.#ending.abort()
    await this.#done
  }

  async #run(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      // Postgres may be away.
      await passTime(this.#pg).catch(() => undefined)
      await sleep(this.#everyMs, undefined, { signal }).catch(() => undefined)
    }
  }
}
