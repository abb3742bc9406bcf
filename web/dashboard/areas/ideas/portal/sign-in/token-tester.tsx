import { useState } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { Badge } from '../../../../design/content/badge.tsx'
import { Panel } from '../../../../design/content/page.tsx'
import { ProblemBox } from '../../../../design/content/states.tsx'
import { TextAreaField } from '../../../../design/forms/field.tsx'
import { type Reply, request } from '../../../../http/request.ts'
import { readToken, type TokenClaim } from './read-token.ts'

type Tried = Reply<'POST /api/v1/admin/portal/{project_id}/secrets/try'>

interface TesterProps {
  readonly projectId: string
  readonly liveSecrets: number
}

/** Says which claim of a token is wrong. The token is sent in the body and not stored. */
export function TokenTester({ projectId, liveSecrets }: TesterProps) {
  const [token, setToken] = useState('')
  const [tried, setTried] = useState<{ readonly token: string; readonly result: Tried }>()
  const [problem, setProblem] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const check = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      const result = await request('POST /api/v1/admin/portal/{project_id}/secrets/try', {
        params: { project_id: projectId },
        body: { token },
      })
      setTried({ token, result })
    } catch (error) {
      setProblem(error as Error)
      setTried(undefined)
    }
    setBusy(false)
  }
  return (
    <Panel title="3. Test a token">
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          void check()
        }}
      >
        <TextAreaField
          label="Token"
          rows={4}
          spellcheck={false}
          autocomplete="off"
          maxLength={10_000}
          placeholder="eyJhbGciOiJIUzI1NiIs…"
          hint={liveSecrets === 0 ? 'Without a secret no token is valid.' : 'It is not stored.'}
          value={token}
          onText={setToken}
        />
        <div class="form-actions">
          <Button type="submit" busy={busy} disabled={token.trim() === ''}>
            Check the token
          </Button>
        </div>
      </form>
      {problem !== undefined && <ProblemBox problem={problem} />}
      {tried !== undefined && <Result token={tried.token} result={tried.result} />}
    </Panel>
  )
}

function Result({ token, result }: { readonly token: string; readonly result: Tried }) {
  const reason = result.valid ? undefined : result.reason
  const read = readToken(token, reason)
  return (
    <div class="token-result" role="status">
      <p>
        {result.valid ? (
          <>
            <Badge tone="success">Valid</Badge> It names the user <b>{result.enduser_id}</b>
            {result.name !== undefined && `, ${result.name}`}
            {result.email !== undefined && ` (${result.email})`}.
          </>
        ) : (
          <>
            <Badge tone="danger">{result.code === 'token_expired' ? 'Expired' : 'Not valid'}</Badge>{' '}
            {sentence(reason)}
          </>
        )}
      </p>
      {read !== undefined && (
        <div class="columns-even">
          <ClaimTable label="Header" claims={read.header} />
          <ClaimTable label="Claims" claims={read.claims} />
        </div>
      )}
    </div>
  )
}

function ClaimTable({
  label,
  claims,
}: {
  readonly label: string
  readonly claims: readonly TokenClaim[]
}) {
  return (
    <table class="table token-claims">
      <caption>{label}</caption>
      <tbody>
        {claims.map(({ name, value, meaning, isWrong }) => (
          <tr key={name} data-wrong={isWrong}>
            <th scope="row">
              <code>{name}</code>
            </th>
            <td>
              <bdi>{value}</bdi>
              {meaning !== undefined && <span class="soft small"> {meaning}</span>}
            </td>
            <td>{isWrong && <Badge tone="danger">Wrong</Badge>}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function sentence(reason: string | undefined): string {
  if (reason === undefined) return ''
  const text = `${reason[0]?.toUpperCase() ?? ''}${reason.slice(1)}`
  return text.endsWith('.') ? text : `${text}.`
}
