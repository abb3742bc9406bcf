import { useState } from 'preact/hooks'
import { Button, ButtonLink, IconButton } from '../../design/button.tsx'
import { Sparkline } from '../../design/charts/sparkline.tsx'
import { TimeChart } from '../../design/charts/time-chart.tsx'
import { Avatar, Badge, FilterChip, Kbd, Meter } from '../../design/content/badge.tsx'
import { CodeBlock, CopyValue } from '../../design/content/copy.tsx'
import { DataTable, Facts } from '../../design/content/data-table.tsx'
import { Page, Panel, Tabs } from '../../design/content/page.tsx'
import { EmptyState, ProblemBox, Skeleton } from '../../design/content/states.tsx'
import { Time } from '../../design/content/time.tsx'
import { Combobox } from '../../design/forms/combobox.tsx'
import { CheckField, SelectField, TextAreaField, TextField } from '../../design/forms/field.tsx'
import { FileDrop } from '../../design/forms/file-drop.tsx'
import { SearchField } from '../../design/forms/search-field.tsx'
import { Icon, iconNames } from '../../design/icon.tsx'
import { ConfirmDialog, Dialog } from '../../design/overlays/dialog.tsx'
import { Menu } from '../../design/overlays/menu.tsx'
import { showToast } from '../../shell/toast-list.ts'
import './design.css'

const hours = Array.from({ length: 24 }, (_, hour) => Date.UTC(2026, 10, 21, hour))
const wave = hours.map((_, hour) => Math.round(60 + 50 * Math.sin(hour / 3)))
const tones = ['neutral', 'accent', 'danger', 'warning', 'success', 'info', 'purple'] as const
const fruits = ['Apple', 'Banana', 'Cherry', 'Date', 'Elderberry', 'Fig', 'Grape']

/** Every component in every state, to look at and to test. */
export function DesignPage() {
  return (
    <Page title="Design" meta={<Badge>All components</Badge>}>
      <ControlPanels />
      <ContentPanels />
    </Page>
  )
}

function ControlPanels() {
  const [dialog, setDialog] = useState<'plain' | 'side' | 'confirm'>()
  const [fruit, setFruit] = useState<string>()
  const [text, setText] = useState('')
  return (
    <div class="columns-even">
      <Panel title="Buttons">
        <div class="row">
          <Button kind="primary" icon="plus">
            Create
          </Button>
          <Button>Plain</Button>
          <Button kind="quiet">Quiet</Button>
          <Button kind="danger">Delete</Button>
          <Button busy>Busy</Button>
          <Button disabled>Disabled</Button>
          <Button size="s">Small</Button>
          <ButtonLink href="/design">Link</ButtonLink>
          <IconButton label="Refresh" icon="refresh" />
          <Menu
            label="Menu"
            actions={[
              { label: 'Resolve', icon: 'check', keys: 'e', run: () => undefined },
              { label: 'Archive', icon: 'archive', disabled: true, run: () => undefined },
              { label: 'Delete', icon: 'trash', danger: true, run: () => undefined },
            ]}
          />
        </div>
      </Panel>
      <Panel title="Fields">
        <div class="form">
          <TextField label="Name" placeholder="Shop" hint="At most 100 characters." />
          <TextField label="Address" value="not an address" error="must be an email address" />
          <TextAreaField label="Text" value={text} onText={setText} />
          <SelectField label="Choice" choices={[{ value: 'a', label: 'First' }]} />
          <CheckField label="Send a copy" hint="To the address of your account." checked />
          <SearchField label="Search the list" value="" onText={() => {}} hasKey={false} />
          <Combobox
            label="Fruit"
            choices={fruits
              .filter((name) => name.toLowerCase().includes(text.toLowerCase()))
              .map((name) => ({ value: name, label: name }))}
            value={fruit}
            onText={setText}
            onValue={setFruit}
          />
          <FileDrop
            label="File"
            hint="CSV of at most 5 MiB."
            accept=".csv"
            file={undefined}
            error="The file is empty."
            onFile={() => undefined}
          />
        </div>
      </Panel>
      <Panel title="Overlays">
        <div class="row">
          <Button onClick={() => setDialog('plain')}>Dialog</Button>
          <Button onClick={() => setDialog('side')}>Side panel</Button>
          <Button onClick={() => setDialog('confirm')}>Confirmation</Button>
          <Button onClick={() => showToast({ kind: 'done', text: 'Resolved SHOP-12.' })}>
            Toast
          </Button>
          <Button
            onClick={() => showToast({ kind: 'error', text: 'It failed.', requestId: 'req-1' })}
          >
            Error toast
          </Button>
        </div>
        {dialog === 'confirm' && (
          <ConfirmDialog
            title="Delete the project"
            confirm="Delete the project"
            danger
            typed="shop"
            onConfirm={() => undefined}
            onClose={() => setDialog(undefined)}
          >
            <p>Its events, ideas and feedback are deleted. This cannot be undone.</p>
          </ConfirmDialog>
        )}
        {(dialog === 'plain' || dialog === 'side') && (
          <Dialog
            title="A dialog"
            size={dialog === 'side' ? 'side' : 'm'}
            onClose={() => setDialog(undefined)}
            footer={<Button kind="primary">Save</Button>}
          >
            <p>Text</p>
          </Dialog>
        )}
      </Panel>
    </div>
  )
}

function ContentPanels() {
  return (
    <>
      <Panel title="Badges, people, keys, meters, times">
        <div class="stack">
          <div class="row">
            {tones.map((tone) => (
              <Badge key={tone} tone={tone}>
                {tone}
              </Badge>
            ))}
            <FilterChip onRemove={() => undefined}>SDK sentry.python</FilterChip>
          </div>
          <div class="row">
            <Avatar name="Ada Lovelace" />
            <Avatar name="Grace Hopper" />
            <Kbd keys="Mod+k" />
            <Kbd keys="g i" />
            <Sparkline values={wave} />
            <Time at="2026-11-21T01:30:00.000Z" />
          </div>
          <Meter label="Half" value={50} max={100} />
          <Meter label="Nearly full" value={90} max={100} />
          <Meter label="Full" value={120} max={100} />
        </div>
      </Panel>
      <Panel title="Charts">
        <div class="columns-even">
          <TimeChart label="Lines" times={hours} series={[{ name: 'Events', values: wave }]} />
          <TimeChart
            label="Stacked"
            kind="stacked"
            times={hours}
            series={[
              { name: 'Accepted', values: wave },
              { name: 'Dropped', values: wave.map((value) => value / 3), color: 4 },
            ]}
          />
        </div>
      </Panel>
      <Panel title="Table" flush>
        <DataTable
          label="Releases"
          items={['shop@1.4.0', 'shop@1.3.9']}
          keyOf={(name) => name}
          columns={[
            { head: 'Release', cell: (name) => name },
            { head: 'Sessions', numeric: true, cell: () => '12,345' },
            { head: 'Crash-free', numeric: true, secondary: true, cell: () => '99.9 %' },
          ]}
        />
      </Panel>
      <Panel title="Facts, code, tabs">
        <div class="stack">
          <Tabs
            label="Views"
            tabs={[
              { label: 'Events', href: '/design', current: true, count: 1_204 },
              { label: 'Tags', href: '/design?tab=tags', current: false },
            ]}
          />
          <Facts
            facts={[
              { name: 'Release', value: 'shop@1.4.0' },
              { name: 'DSN', value: <CopyValue label="the DSN" value="https://key@host/1" /> },
            ]}
          />
          <CodeBlock label="Node" code={"import * as Sentry from '@sentry/node'"} />
        </div>
      </Panel>
      <Panel title="Nothing yet, a problem, loading">
        <EmptyState title="No events yet">
          <p>Events appear here within a second.</p>
        </EmptyState>
        <ProblemBox
          problem={new Error('The server cannot be reached.')}
          onRetry={() => undefined}
        />
        <div class="design-skeleton">
          <Skeleton lines={3} />
        </div>
      </Panel>
      <Panel title="Icons">
        <ul class="design-icons">
          {iconNames.map((name) => (
            <li key={name}>
              <Icon name={name} /> {name}
            </li>
          ))}
        </ul>
      </Panel>
    </>
  )
}
