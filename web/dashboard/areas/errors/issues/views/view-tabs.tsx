import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { CheckField, TextField } from '../../../../design/forms/field.tsx'
import { Icon } from '../../../../design/icon.tsx'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { Menu } from '../../../../design/overlays/menu.tsx'
import type { SavedView } from '../../../../generated/api.d.ts'
import { asProblem, type Problem } from '../../../../http/problem.ts'
import { runChange } from '../../../../http/run-change.ts'
import { canWrite, me } from '../../../../session/session.ts'
import { type IssuesState, readState, writeState } from '../issues-state.ts'
import { createView, deleteView, updateView, useViews } from './use-views.ts'
import './view-tabs.css'

/** Views that everybody needs, then those of the team, then own ones. */
export function ViewTabs({
  projectId,
  state,
  canSave,
}: {
  readonly projectId: string
  readonly state: IssuesState
  /** False while the search is invalid. */
  readonly canSave: boolean
}) {
  const views = useViews(projectId)
  const [dialog, setDialog] = useState<'save' | SavedView>()
  const params = writeState(state)
  const saved = views.data ?? []
  // Two views may have the same filters; the name that comes first is the current one.
  const current = saved.find((view) => writeState(readState(view.params)) === params)
  const builtIn = builtInViews(me.value?.email)
  const currentBuiltIn = builtIn.find(([, query]) => writeState({ ...state, query }) === params)
  const linkOf = (text: string) =>
    text === '' ? location.pathname : `${location.pathname}?${text}`
  return (
    <div class="issue-views">
      <nav class="tabs" aria-label="Views">
        {builtIn.map(([label, query]) => (
          <a
            key={label}
            href={linkOf(writeState({ ...state, query }))}
            aria-current={
              current === undefined && currentBuiltIn?.[0] === label ? 'page' : undefined
            }
          >
            {label}
          </a>
        ))}
        {saved.map((view) => (
          <a
            key={view.id}
            href={linkOf(writeState(readState(view.params)))}
            aria-current={current?.id === view.id ? 'page' : undefined}
            title={view.shared ? 'Everybody sees this view' : 'Only you see this view'}
          >
            {!view.shared && <Icon name="lock" size={12} />}
            {view.name}
          </a>
        ))}
      </nav>
      {canWrite.value &&
        canSave &&
        views.data !== undefined &&
        current === undefined &&
        currentBuiltIn === undefined && (
          <Button size="s" kind="quiet" icon="bookmark" onClick={() => setDialog('save')}>
            Save view
          </Button>
        )}
      {canWrite.value && current !== undefined && (
        <Menu
          label="View"
          hideLabel
          icon="more"
          kind="quiet"
          size="s"
          actions={[
            { label: 'Rename or share', icon: 'edit', run: () => setDialog(current) },
            {
              label: 'Delete the view',
              icon: 'trash',
              danger: true,
              run: () =>
                void runChange({
                  send: () => deleteView(projectId, current.id),
                  done: `Deleted the view ${current.name}.`,
                  undo: () => createView(projectId, current),
                }),
            },
          ]}
        />
      )}
      {dialog !== undefined && (
        <ViewDialog
          projectId={projectId}
          params={params}
          view={dialog === 'save' ? undefined : dialog}
          onClose={() => setDialog(undefined)}
        />
      )}
    </div>
  )
}

function builtInViews(email: string | undefined): readonly (readonly [string, string])[] {
  return [
    ['Unresolved', 'is:unresolved'],
    ['New', 'is:new'],
    ['Regressed', 'is:regressed'],
    ['Escalating', 'is:escalating'],
    ...(email === undefined ? [] : [['Mine', `is:unresolved assigned:${email}`] as const]),
    ['All', ''],
  ]
}

interface ViewDialogProps {
  readonly projectId: string
  readonly params: string
  /** Undefined saves a new one. */
  readonly view: SavedView | undefined
  readonly onClose: () => void
}

function ViewDialog({ projectId, params, view, onClose }: ViewDialogProps) {
  const [name, setName] = useState(view?.name ?? '')
  const [shared, setShared] = useState(view?.shared ?? false)
  const [problem, setProblem] = useState<Problem>()
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      if (view === undefined) await createView(projectId, { name, shared, params })
      else await updateView(projectId, view.id, { name, shared })
      onClose()
    } catch (error) {
      setProblem(asProblem(error))
    } finally {
      setBusy(false)
    }
  }
  const ruleOfName = problem?.ruleOf('name')
  return (
    <Dialog
      title={view === undefined ? 'Save this view' : 'Change the view'}
      size="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            busy={busy}
            disabled={name.trim() === ''}
            onClick={() => void save()}
          >
            Save
          </Button>
        </>
      }
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() !== '') void save()
        }}
      >
        <TextField
          label="Name"
          value={name}
          onText={setName}
          maxLength={100}
          error={ruleOfName ?? problem?.message}
          hint="Search, sort, grouping and columns are saved."
        />
        <CheckField
          label="Share with the team"
          hint="Everybody in the organization sees it."
          checked={shared}
          onChecked={setShared}
        />
      </form>
    </Dialog>
  )
}
