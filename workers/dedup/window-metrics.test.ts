import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { IdWindow } from './id-window.ts'
import { WindowMetrics } from './window-metrics.ts'

test('the metrics of a window are exported until the partition has another owner', async () => {
  const registry = new Registry()
  const metrics = new WindowMetrics(registry)
  const window = new IdWindow()
  window.enter(1, 2, 3, 1_795_000_000)
  metrics.observe(3, window)
  const shown = await registry.metrics()
  expect(shown).toContain('workers_dedup_ids{partition="3"} 1')
  expect(shown).toContain('workers_dedup_bytes{partition="3"} 65536')
  expect(shown).toContain('workers_dedup_window_seconds{partition="3"} 86400')
  metrics.remove(3)
  expect(await registry.metrics()).not.toContain('partition="3"')
})
