import { useEffect, useState } from 'preact/hooks'
import { Button } from '../design/button.tsx'
import { ProblemBox } from '../design/content/states.tsx'
import { TextField } from '../design/forms/field.tsx'
import { request } from '../http/request.ts'
import { LoginForm } from './login-form.tsx'
import './css/login.css'

/** Shown at any address without a login; the address is kept. */
export function LoginPage() {
  const [isForgotten, setForgotten] = useState(false)
  useEffect(() => {
    document.title = 'Log in · Sluice'
  }, [])
  return (
    <main class="login">
      <div class="login-box">
        <h1>
          <img src="/favicon.svg" width={28} height={28} alt="" /> Log in to Sluice
        </h1>
        {isForgotten ? <ForgottenPassword /> : <LoginForm />}
        <Button kind="quiet" onClick={() => setForgotten(!isForgotten)}>
          {isForgotten ? 'Back to the login' : 'Forgot the password?'}
        </Button>
      </div>
    </main>
  )
}

function ForgottenPassword() {
  const [email, setEmail] = useState('')
  const [state, setState] = useState<'open' | 'busy' | 'sent'>('open')
  const [problem, setProblem] = useState<Error>()
  const submit = async () => {
    setState('busy')
    setProblem(undefined)
    try {
      await request('POST /api/v1/forgotten-password', { body: { email } })
      setState('sent')
    } catch (error) {
      setProblem(error as Error)
      setState('open')
    }
  }
  if (state === 'sent') {
    return (
      <p role="status">
        If {email} belongs to a person, an email with a link to choose another password is on its
        way.
      </p>
    )
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
        autocomplete="username"
        required
        value={email}
        onText={setEmail}
      />
      <Button kind="primary" type="submit" busy={state === 'busy'}>
        Send the link
      </Button>
    </form>
  )
}
