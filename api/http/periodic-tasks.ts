/**
 * The periodic tasks of an API process (platform/periodic.ts). Routes start theirs when they are
 * registered. Closing the API stops all of them and waits for the runs in progress.
 */
import type { FastifyInstance } from 'fastify'
import { PeriodicTasks } from '#platform/periodic.ts'
import type { ApiContext } from '../context.ts'
import { metricsOf } from './health.ts'

/** Less than the drain of the process (serve.ts), which closes its connections after it. */
const drainMsMax = 10_000

/** Call it once for the whole API, after `registerHealth`, which has the registry of metrics. */
export function addPeriodicTasks(
  app: FastifyInstance,
  { clock, log }: Pick<ApiContext, 'clock' | 'log'>,
): void {
  const tasks = new PeriodicTasks({ clock, log, registry: metricsOf(app), drainMsMax })
  app.decorate('periodicTasks', tasks)
  app.addHook('onClose', () => tasks.stop())
}

export function periodicTasksOf(app: FastifyInstance): PeriodicTasks {
  return app.getDecorator<PeriodicTasks>('periodicTasks')
}
