import { tmpdir } from 'node:os'
import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { folderStorage } from './folder-storage.ts'
import { type Storage, StorageMetrics } from './storage-metrics.ts'

test('each storage has its bytes, and one that cannot be read has none', async () => {
  const registry = new Registry()
  let disks: readonly Storage[] | undefined = [
    { folder: 'clickhouse:default', freeBytes: 5, sizeBytes: 9 },
  ]
  const metrics = new StorageMetrics(registry, { monotonicMs: () => 0 }, [
    folderStorage('data', tmpdir()),
    folderStorage('elsewhere', `${tmpdir()}/no-such-folder`),
    () => {
      if (disks === undefined) throw new Error('ClickHouse is away')
      return disks
    },
  ])
  await metrics.run()
  let text = await registry.metrics()
  expect(text).toMatch(/sluice_disk_free_bytes{folder="data"} [1-9]/)
  expect(text).toContain('sluice_disk_full_seconds{folder="data"} +Inf')
  expect(text).toContain('sluice_disk_size_bytes{folder="clickhouse:default"} 9')
  expect(text).not.toContain('elsewhere')

  disks = undefined
  await expect(metrics.run()).rejects.toThrow('ClickHouse is away')
  text = await registry.metrics()
  expect(text).not.toContain('clickhouse')
  expect(text).toMatch(/sluice_disk_free_bytes{folder="data"} [1-9]/)
})
