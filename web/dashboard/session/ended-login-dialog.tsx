import { Button } from '../design/button.tsx'
import { Dialog } from '../design/overlays/dialog.tsx'
import { LoginForm } from './login-form.tsx'
import { endedLogin, giveUpLogin } from './session.ts'

/** Above the page, so that what was typed there stays. The refused request is then repeated. */
export function EndedLoginDialog() {
  return (
    <Dialog
      title="Your login has ended"
      size="s"
      onClose={() => undefined}
      footer={
        <Button kind="quiet" onClick={giveUpLogin}>
          Leave this page
        </Button>
      }
    >
      <div class="stack">
        <p class="soft">Log in to continue. Nothing that you typed is lost.</p>
        <LoginForm email={endedLogin.value?.email ?? ''} />
      </div>
    </Dialog>
  )
}
