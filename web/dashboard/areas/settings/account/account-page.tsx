import { useState } from 'preact/hooks'
import { Button } from '../../../design/button.tsx'
import { Badge } from '../../../design/content/badge.tsx'
import { DataTable } from '../../../design/content/data-table.tsx'
import { Page, Panel } from '../../../design/content/page.tsx'
import { Loaded, ProblemBox } from '../../../design/content/states.tsx'
import { Time } from '../../../design/content/time.tsx'
import { SelectField, TextField } from '../../../design/forms/field.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { request } from '../../../http/request.ts'
import { runChange } from '../../../http/run-change.ts'
import { useRead } from '../../../http/use-read.ts'
import { me } from '../../../session/session.ts'
import { showToast } from '../../../shell/toast-list.ts'
import { setTheme, theme, themes } from '../../../theme/theme.ts'
import { describeBrowser } from './describe-browser.ts'

const logins = 'GET /api/v1/me/logins'
const stops = 'GET /api/v1/me/alert-stops'

/** What belongs to the person, in every organization. */
export function AccountPage() {
  return (
    <Page title="Your account" meta={me.value?.email}>
      <div class="columns-even">
        <NamePanel />
        <PasswordPanel />
      </div>
      <LoginsPanel />
      <StopsPanel />
    </Page>
  )
}

function NamePanel() {
  const [name, setName] = useState(me.value?.name ?? '')
  const submit = useSubmit(async () => {
    me.value = await request('PATCH /api/v1/me', { body: { name } })
    showToast({ kind: 'done', text: 'Saved the name.' })
  })
  return (
    <Panel title="Profile">
      <form class="form" onSubmit={submit.onSubmit}>
        <TextField
          label="Name"
          value={name}
          autocomplete="name"
          onText={setName}
          error={submit.ruleOf('name')}
        />
        <SelectField
          label="Theme"
          hint="Stored in this browser."
          value={theme.value}
          choices={[
            { value: 'system', label: 'As the system' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          onValue={(value) => setTheme(themes.find((one) => one === value) ?? 'system')}
        />
        <div class="form-actions">
          <Button type="submit" busy={submit.isBusy} disabled={name === me.value?.name}>
            Save
          </Button>
        </div>
      </form>
    </Panel>
  )
}

function PasswordPanel() {
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const submit = useSubmit(async () => {
    const body = { current_password: current, new_password: next }
    me.value = await request('PATCH /api/v1/me', { body })
    setCurrent('')
    setNext('')
    showToast({ kind: 'done', text: 'Changed the password. All other logins have ended.' })
  })
  const unplaced = submit.unplaced(['current_password', 'new_password'])
  return (
    <Panel title="Password">
      <form class="form" onSubmit={submit.onSubmit}>
        {unplaced !== undefined && <ProblemBox problem={unplaced} />}
        <TextField
          label="Present password"
          type="password"
          autocomplete="current-password"
          required
          value={current}
          onText={setCurrent}
          error={submit.ruleOf('current_password')}
        />
        <TextField
          label="New password"
          type="password"
          autocomplete="new-password"
          required
          value={next}
          onText={setNext}
          hint="At least 10 characters."
          error={submit.ruleOf('new_password')}
        />
        <div class="form-actions">
          <Button type="submit" busy={submit.isBusy}>
            Change the password
          </Button>
        </div>
      </form>
    </Panel>
  )
}

function LoginsPanel() {
  const read = useRead(logins, {})
  const end = (id: string) =>
    runChange({
      send: () => request('DELETE /api/v1/me/logins/{id}', { params: { id } }),
      done: 'Ended the login.',
      refetch: [logins],
    })
  const endOthers = () =>
    runChange({
      send: () => request('DELETE /api/v1/me/logins', {}),
      done: 'Ended all other logins.',
      refetch: [logins],
    })
  return (
    <Panel
      title="Logins"
      flush
      actions={
        <Button size="s" onClick={() => void endOthers()}>
          End all others
        </Button>
      }
    >
      <Loaded read={read} lines={3}>
        {({ items }) => (
          <DataTable
            label="Logins"
            items={items}
            keyOf={({ id }) => id}
            columns={[
              {
                head: 'Browser',
                cell: ({ user_agent: agent, current }) => (
                  <span title={agent ?? ''}>
                    {describeBrowser(agent)} {current && <Badge tone="accent">This one</Badge>}
                  </span>
                ),
              },
              { head: 'Address', secondary: true, cell: ({ ip }) => ip ?? '–' },
              { head: 'Last used', cell: ({ last_used_at: at }) => <Time at={at} /> },
              { head: 'Expires', secondary: true, cell: ({ expires_at: at }) => <Time at={at} /> },
              {
                head: 'Actions',
                actions: true,
                cell: ({ id, current }) =>
                  !current && (
                    <Button size="s" onClick={() => void end(id)}>
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Panel>
  )
}

function StopsPanel() {
  const read = useRead(stops, {})
  const remove = (id: string) =>
    runChange({
      send: () => request('DELETE /api/v1/me/alert-stops/{id}', { params: { id } }),
      done: 'You get these emails again.',
      refetch: [stops],
    })
  return (
    <Panel title="Alert emails that you stopped" flush>
      <Loaded read={read} lines={2}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="panel-body soft">
              None. Every alert email has a link that stops its rule or its issue for you.
            </p>
          ) : (
            <DataTable
              label="Alert emails that you stopped"
              items={items}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Of', cell: ({ type, name }) => `${type}: ${name}` },
                { head: 'Project', secondary: true, cell: ({ project }) => project.name },
                { head: 'Since', cell: ({ created_at: at }) => <Time at={at} /> },
                {
                  head: 'Actions',
                  actions: true,
                  cell: ({ id }) => (
                    <Button size="s" onClick={() => void remove(id)}>
                      Send them again
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Panel>
  )
}
