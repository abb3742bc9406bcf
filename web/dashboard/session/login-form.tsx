import { useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { ProblemBox } from '../design/content/states.tsx'
import { TextField } from '../design/forms/field.tsx'
import { logIn } from './session.ts'

/** Email and password. Used on the login page and above a page whose login has ended. */
export function LoginForm({ email: givenEmail = '' }: { readonly email?: string }) {
  const [email, setEmail] = useState(givenEmail)
  const [password, setPassword] = useState('')
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Error>()
  const submit = async () => {
    setBusy(true)
    setProblem(undefined)
    try {
      await logIn(email, password)
    } catch (error) {
      setProblem(error as Error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {problem !== undefined && <ProblemBox problem={problem} />}
      <TextField
        label="Email"
        type="email"
        name="email"
        autocomplete="username"
        required
        value={email}
        onText={setEmail}
      />
      <TextField
        label="Password"
        type="password"
        name="password"
        autocomplete="current-password"
        required
        value={password}
        onText={setPassword}
      />
      <Button kind="primary" type="submit" busy={busy}>
        Log in
      </Button>
    </form>
  )
}
