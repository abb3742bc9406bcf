import { expect, test } from 'vitest'
import { deleteIssueEvents, type IssueDeletion, packRows } from './delete-issue-events.ts'

const committed = [{ partition: 0, generation: 1, committedSeq: 10 }]
const deletionOf = (id: string, hashCount: number): IssueDeletion => ({
  id,
  projectId: 1,
  committed,
  hashes: Array.from({ length: hashCount }, (_, index) => `${id} ${index}`),
})

test('many deletions share a query, and one with many hashes takes several', () => {
  const packs = packRows([deletionOf('a', 3), deletionOf('b', 0), deletionOf('c', 4_500)])
  expect(packs.map((pack) => pack.map(({ hashes }) => hashes.length))).toEqual([
    [3, 1_997],
    [2_000],
    [503],
  ])
  expect(packs.flat().flatMap(({ hashes }) => hashes)).toHaveLength(4_503)
})

test('continues until no deletion is left, stores ids before it deletes rows, and finishes a deletion without rows', async () => {
  const unfinished = Array.from({ length: 120 }, (_, index) => deletionOf(`${index}`, index % 2))
  const did: string[] = []
  await deleteIssueEvents({
    listUnfinished: async (limit) => unfinished.slice(0, limit),
    keepIds: async () => void did.push('keep'),
    deleteAttachments: async () => void did.push('files'),
    deleteRows: async () => void did.push('delete'),
    finish: async (ids) => {
      did.push('finish')
      unfinished.splice(0, ids.length)
    },
  })
  expect(unfinished).toEqual([])
  expect(did).toEqual(Array.from({ length: 3 }, () => ['keep', 'files', 'delete', 'finish']).flat())
})

test('is not finished when the rows could not be deleted', async () => {
  const failing = deleteIssueEvents({
    listUnfinished: async () => [deletionOf('a', 1)],
    keepIds: async () => undefined,
    deleteAttachments: async () => undefined,
    deleteRows: async () => {
      throw new Error('too slow')
    },
    finish: async () => {
      throw new Error('finished')
    },
  })
  await expect(failing).rejects.toThrow('too slow')
})
