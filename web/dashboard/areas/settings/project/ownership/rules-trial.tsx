import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { TextField } from '../../../../design/forms/field.tsx'
import { useSubmit } from '../../../../design/forms/use-submit.ts'
import { type Body, type Reply, request } from '../../../../http/request.ts'
import { readTags } from './read-tags.ts'

const match = 'POST /api/v1/projects/{project_id}/ownership/match'
type Match = Reply<typeof match>
type Trial = Exclude<Body<typeof match>, Blob>

const fields = ['path', 'module', 'url', 'tags'] as const
type Typed = { readonly [F in (typeof fields)[number]]: string }
const nothing: Typed = { path: '', module: '', url: '', tags: '' }

/** Says who would get a new issue of an event, by the rules as they are typed. */
export function RulesTrial({
  projectId,
  rules,
  onSelectLine,
}: {
  readonly projectId: string
  /** Undefined: the stored rules. */
  readonly rules: string | undefined
  readonly onSelectLine: (line: number) => void
}) {
  const [typed, setTyped] = useState(nothing)
  const [found, setFound] = useState<{ readonly match: Match; readonly of: string | undefined }>()
  const tags = readTags(typed.tags)
  const set = (change: Partial<Typed>) => {
    setTyped({ ...typed, ...change })
    setFound(undefined)
  }
  const submit = useSubmit(async () => {
    const body: Trial = {
      ...(typed.path === '' ? {} : { path: typed.path }),
      ...(typed.module === '' ? {} : { module: typed.module }),
      ...(typed.url === '' ? {} : { url: typed.url }),
      ...(tags.kind === 'tags' && typed.tags.trim() !== '' ? { tags: tags.tags } : {}),
      ...(rules === undefined ? {} : { rules }),
    }
    const params = { project_id: projectId }
    setFound({ match: await request(match, { params, body }), of: rules })
  })
  const unplaced = submit.unplaced(fields)
  const isEmpty = fields.every((field) => typed[field].trim() === '')
  return (
    <Panel title="Try the rules">
      <form class="stack" onSubmit={submit.onSubmit}>
        <p class="soft small">
          With what an event has. The rules above are tried as they are typed, before they are
          saved; lines that are not valid are skipped.
        </p>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <div class="form-row">
          <TextField
            label="Path"
            value={typed.path}
            placeholder="src/api/orders.ts"
            onText={(path) => set({ path })}
            error={submit.ruleOf('path')}
          />
          <TextField
            label="URL"
            value={typed.url}
            placeholder="https://shop.test/cart"
            onText={(url) => set({ url })}
            error={submit.ruleOf('url')}
          />
        </div>
        <div class="form-row">
          <TextField
            label="Module"
            value={typed.module}
            placeholder="com.shop.orders"
            onText={(module) => set({ module })}
            error={submit.ruleOf('module')}
          />
          <TextField
            label="Tags"
            value={typed.tags}
            placeholder="component=worker, region=eu"
            onText={(text) => set({ tags: text })}
            error={tags.kind === 'error' ? tags.rule : submit.ruleOf('tags')}
          />
        </div>
        <div class="form-actions">
          <Button type="submit" busy={submit.isBusy} disabled={isEmpty || tags.kind === 'error'}>
            Find the owner
          </Button>
        </div>
      </form>
      {found !== undefined && found.of === rules && (
        <div class="rules-result" role="status">
          <Result match={found.match} onSelectLine={onSelectLine} />
        </div>
      )}
    </Panel>
  )
}

function Result({
  match: { rule, assignee },
  onSelectLine,
}: {
  readonly match: Match
  readonly onSelectLine: (line: number) => void
}) {
  if (rule === null) return <p>No rule matches: a new issue would have no assignee.</p>
  return (
    <div class="stack">
      <p>{answerOf(rule.owners, assignee)}</p>
      <p class="soft small">
        <Button size="s" kind="quiet" onClick={() => onSelectLine(rule.line)}>
          Line {rule.line}
        </Button>{' '}
        decides: <code>{`${rule.subject}:${rule.pattern}`}</code>{' '}
        {rule.owners.length === 0 ? 'without owners' : rule.owners.join(' ')}
      </p>
    </div>
  )
}

function answerOf(owners: readonly string[], assignee: Match['assignee']) {
  if (assignee !== null) {
    return (
      <>
        A new issue would be assigned to{' '}
        <strong>
          {assignee.type === 'team' ? 'the team ' : ''}
          {assignee.name}
        </strong>
        .
      </>
    )
  }
  if (owners.length === 0) return 'The rule has no owners: a new issue would have no assignee.'
  return 'No owner exists: a new issue would have no assignee.'
}
