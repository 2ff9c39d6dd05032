// Something the operator can mend: told in plain words, without a stack, with exit status 1.
export class Complaint extends Error {
  override readonly name = 'Complaint'
}
