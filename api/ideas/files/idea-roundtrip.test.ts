/** Our own files of ideas: what goes out comes in again without loss, in the same order. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { apiOfThisFile } from '../../../test/fixtures/api-fixture.ts'
import {
  fillPortal,
  type GeneratedIdeas,
  generatedIdeas,
} from '../../../test/fixtures/generated-ideas.ts'
import { ideaFiles, withoutIds } from '../../../test/fixtures/idea-file-fixture.ts'
import { recount } from '../../../test/idea-storm/recount.ts'

const api = apiOfThisFile()
const { url, portal, load, unload, unloadText } = ideaFiles(api)

describe('an export of Sluice', () => {
  test('of any project, as CSV and JSON, imports into an empty one and exports equal', async () => {
    await fc.assert(
      fc.asyncProperty(generatedIdeas, fc.constantFrom('csv', 'json'), async (ideas, format) => {
        const from = await portal()
        await fillPortal(api(), from, ideas)
        expect(await recount(api().ctx.pg, from.tenant.project.id)).toEqual([])
        const to = await portal()
        const text = await unloadText(from, format)
        const type = format === 'csv' ? 'text/csv' : 'application/json'
        const want = {
          read: ideas.length,
          imported: ideas.length,
          skipped: 0,
          problems: [],
          notes: [],
        }
        const rehearsed = await load(to, text, '?create_tags=true&dry_run=true', type)
        expect(rehearsed).toMatchObject({ ...want, dry_run: true, ignored_columns: [] })
        const report = await load(to, text, '?create_tags=true', type)
        expect(report).toEqual({ ...rehearsed, dry_run: false })
        const again = await unload(to)
        for (const each of ['csv', 'json'] as const) {
          const [before, after] = [await unloadText(from, each), await unloadText(to, each)]
          expect(withoutIds(after)).toBe(withoutIds(before))
        }
        expect(await recount(api().ctx.pg, to.tenant.project.id)).toEqual([])

        expect(await load(to, text, '', type)).toMatchObject({ imported: 0, known: ideas.length })
        expect(await load(from, text, '', type)).toMatchObject({ imported: 0, known: ideas.length })
        expect(await unload(to)).toEqual(again)
      }),
      { numRuns: 25 },
    )
  })

  test('a merge that was imported can be undone', async () => {
    const from = await portal()
    const idea: GeneratedIdeas[number] = {
      ...{ title: 'A', description: 'a', status: 'Planned', moderation: 'published', author: null },
      ...{ voters: ['ada', 'c|d'], imported: 7, response: null, comments: [], minutes: 0 },
      microseconds: '000',
      ...{ tags: [], mergeInto: null },
    }
    await fillPortal(api(), from, [
      { ...idea, mergeInto: 1 },
      { ...idea, title: 'B', voters: ['bob smith', 'ada'], imported: 5 },
    ])
    const to = await portal()
    await load(to, JSON.stringify(await unload(from)), '', 'application/json')
    const counts = async () =>
      Object.fromEntries(
        (await unload(to)).map(({ title, status, vote_count }) => [title, [status, vote_count]]),
      )
    expect(await counts()).toEqual({ A: ['Duplicate', 9], B: ['Planned', 15] })
    const id = (await unload(to)).find(({ title }) => title === 'A').id
    const { status } = await api().call(url(to, `/ideas/${id}/unmerge`), {
      method: 'POST',
      login: to.login,
    })
    expect(status).toBe(200)
    expect(await counts()).toEqual({ A: ['Planned', 9], B: ['Planned', 7] })
    expect(await recount(api().ctx.pg, to.tenant.project.id)).toEqual([])
  })
})
