import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Button } from '../../../design/button.tsx'
import { Panel } from '../../../design/content/page.tsx'
import { ProblemBox } from '../../../design/content/states.tsx'
import { CheckField, SelectField, TextField } from '../../../design/forms/field.tsx'
import { FileDrop } from '../../../design/forms/file-drop.tsx'
import { useSubmit } from '../../../design/forms/use-submit.ts'
import { asProblem } from '../../../http/problem.ts'
import { invalidateReads } from '../../../http/query-client.ts'
import { request } from '../../../http/request.ts'
import { useSearchParams } from '../../../url/use-search-params.ts'
import { newsletterChoices, useNewsletters } from '../lists/newsletters.ts'
import { addColumnNames, missingNames } from './add-column-names.ts'
import { columnsNamedIn, type Meaning, mappingOf, othersAsAttributes } from './column-meaning.ts'
import { ColumnTable } from './column-table.tsx'
import { keepNotes } from './import-notes.ts'
import { importList } from './import-words.tsx'
import { type FileHead, readHead } from './read-head.ts'
import './imports.css'

const bytesMax = 32 * 1024 * 1024
const jsonBytesMax = 4 * 1024 * 1024
const decide =
  'Looks like an opt-out. Choose what it means, or “Do not import”, so that nobody who left gets emails.'

const statusChoices = [
  { value: '', label: 'Subscribed, unless the file says otherwise' },
  { value: 'pending', label: 'Pending: not confirmed yet' },
  { value: 'unsubscribed', label: 'Unsubscribed' },
  { value: 'bounced', label: 'Bounced: suppress these addresses' },
]
type Status = 'pending' | 'unsubscribed' | 'bounced'

/** The file, its columns and the options. It is always checked first; the report starts it. */
export function ImportForm() {
  const { route } = useLocation()
  const params = useSearchParams()
  const newsletters = useNewsletters()
  const choices = newsletterChoices(newsletters)
  const [chosenNewsletter, setNewsletter] = useState(params.get('newsletter'))
  const newsletter = chosenNewsletter ?? choices[0]?.value ?? ''
  const [file, setFile] = useState<File>()
  const [head, setHead] = useState<FileHead>()
  const [hasAddedNames, setAddedNames] = useState(false)
  const [chosen, setChosen] = useState<Readonly<Record<string, Meaning>>>({})
  const [status, setStatus] = useState('')
  const [source, setSource] = useState('')
  const [isUpdating, setUpdating] = useState(false)

  const choose = async (next: File) => {
    const given = await readHead(next)
    const names = missingNames(given)
    const used = names === undefined ? next : await addColumnNames(next, names)
    setFile(used)
    setChosen({})
    setAddedNames(names !== undefined)
    setHead(names === undefined ? given : await readHead(used))
    submit.clear()
  }
  const submit = useSubmit(async () => {
    if (file === undefined || head === undefined) return
    const mapping = mappingOf(head.columns, chosen)
    const { id, notes } = await request('POST /api/v1/admin/email/imports', {
      query: {
        newsletter,
        dryRun: 'true',
        updateExisting: isUpdating ? 'true' : 'false',
        fileName: file.name.slice(0, 500),
        ...(mapping === undefined ? {} : { mapping: JSON.stringify(mapping) }),
        ...(status === '' ? {} : { status: status as Status }),
        ...(source === '' ? {} : { source }),
      },
      body: file,
      contentType: head.isJson ? 'application/json' : 'text/csv',
    })
    keepNotes(id, notes)
    await invalidateReads(importList)
    route(`/email/contacts/import/${id}`)
  })

  const tooLarge =
    file !== undefined && head !== undefined && file.size > (head.isJson ? jsonBytesMax : bytesMax)
  const details = asProblem(submit.problem)?.details ?? []
  const refused = new Map(
    details.flatMap(({ rule }) =>
      rule.includes('looks like an opt-out')
        ? columnsNamedIn(rule, head?.columns ?? []).map((column) => [column, decide] as const)
        : [],
    ),
  )
  const isPlaced = refused.size > 0
  const others = othersAsAttributes(head?.columns ?? [], chosen)
  return (
    <form class="stack" onSubmit={submit.onSubmit}>
      <FileDrop
        label="File"
        hint="CSV of at most 32 MiB, or a JSON list of at most 4 MiB. Exports of Mailchimp, Resend, Buttondown, Keila, listmonk and Sluice are recognized."
        accept=".csv,.tsv,.txt,.json,text/csv,application/json"
        file={file}
        onFile={(next) => void choose(next)}
      />
      {file !== undefined && head !== undefined && (
        <>
          <Panel
            title="Columns"
            flush
            actions={
              Object.keys(others).length > 0 && (
                <Button size="s" onClick={() => setChosen({ ...chosen, ...others })}>
                  Import the others as attributes
                </Button>
              )
            }
          >
            {hasAddedNames && (
              <p class="panel-body soft small">
                The first line of the file is a contact, so a line with names of the columns was
                added above it. The report counts that line.
              </p>
            )}
            {head.columns.length === 0 ? (
              <p class="panel-body">
                No columns were found. The first line of a CSV file names its columns; a JSON file
                is a list of objects.
              </p>
            ) : (
              <ColumnTable
                head={head}
                chosen={chosen}
                refused={refused}
                onChoose={(column, meaning) => setChosen({ ...chosen, [column]: meaning })}
              />
            )}
          </Panel>
          <Panel title="Options">
            <div class="stack">
              <div class="form-row import-options">
                <SelectField
                  label="Newsletter"
                  value={newsletter}
                  choices={choices}
                  onValue={setNewsletter}
                  error={submit.ruleOf('newsletter')}
                />
                <SelectField
                  label="Status of the contacts"
                  value={status}
                  choices={statusChoices}
                  onValue={setStatus}
                  error={submit.ruleOf('status')}
                />
                <TextField
                  label="Source"
                  value={source}
                  onText={setSource}
                  placeholder="shop checkout 2026"
                  error={submit.ruleOf('source')}
                />
              </div>
              <CheckField
                label="Update contacts that exist"
                hint="Replaces their name and attributes. Nobody who unsubscribed is subscribed again."
                checked={isUpdating}
                onChecked={setUpdating}
              />
            </div>
          </Panel>
          {submit.problem !== undefined && !isPlaced && (
            <ProblemBox problem={withRules(submit.problem)} />
          )}
          {isPlaced && (
            <p class="field-error" role="alert">
              Decide on {[...refused.keys()].map((column) => `“${column}”`).join(', ')} above, then
              check the file again.
            </p>
          )}
          {tooLarge && (
            <p class="field-error" role="alert">
              The file is too large. Split it, or import it on the command line with{' '}
              <code>contact import</code>.
            </p>
          )}
          <div class="form-actions">
            <Button
              kind="primary"
              type="submit"
              busy={submit.isBusy}
              disabled={tooLarge || head.columns.length === 0}
            >
              Check the file
            </Button>
            <span class="soft small">Nothing is stored yet.</span>
          </div>
        </>
      )}
    </form>
  )
}

/** The message with the rules of the fields, most of which have no field of their own here. */
function withRules(problem: Error): Error {
  const details = asProblem(problem)?.details ?? []
  const missing = details.filter(({ rule }) => !problem.message.includes(rule))
  const rules = missing.map(({ field, rule }) => `${field} ${rule}`).join('. ')
  return rules === '' ? problem : new Error(`${problem.message} ${rules}.`, { cause: problem })
}
