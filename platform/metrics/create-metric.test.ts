import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { counter, gauge, sharedGauge } from './create-metric.ts'

const plain = { name: 'plain_total', type: 'counter', help: 'A counter.', labels: [] } as const
const labelled = {
  name: 'labelled',
  type: 'gauge',
  help: 'A gauge.',
  labels: ['partition', 'reason'],
} as const

test('name, help and labels come from the definition', async () => {
  const registry = new Registry()
  counter(registry, plain).inc(2)
  gauge(registry, labelled).set({ partition: 1, reason: 'late' }, 3)
  const text = await registry.metrics()
  expect(text).toContain('# HELP plain_total A counter.\n# TYPE plain_total counter\nplain_total 2')
  expect(text).toContain('labelled{partition="1",reason="late"} 3')
})

test('a metric that reads at each scrape replaces its samples', async () => {
  const registry = new Registry()
  let count = 1
  counter(registry, plain, (created) => created.inc(count))
  expect(await registry.metrics()).toContain('plain_total 1')
  count = 5
  expect(await registry.metrics()).toContain('plain_total 5')
})

test('a shared gauge is created once for each registry', () => {
  const registry = new Registry()
  expect(sharedGauge(registry, labelled)).toBe(sharedGauge(registry, labelled))
})

test('a wrong, a missing and a superfluous label are compile errors', () => {
  const registry = new Registry()
  const withLabels = gauge(registry, labelled)
  const without = counter(registry, plain)
  const attempts = [
    // @ts-expect-error `partitions` is no label of this metric
    () => withLabels.set({ partitions: 1, reason: 'late' }, 1),
    // @ts-expect-error `reason` is missing
    () => withLabels.set({ partition: 1 }, 1),
    // @ts-expect-error this metric has labels
    () => withLabels.set(1),
    // @ts-expect-error this metric has no labels
    () => without.inc({ reason: 'late' }, 1),
    // @ts-expect-error a gauge is not a counter
    () => counter(registry, labelled),
  ]
  expect(attempts).toHaveLength(5)
})
