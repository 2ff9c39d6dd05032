// Weights of the nine digits of an ABA routing number; the sum of all products ends in 0.
const weights = [3, 7, 1, 3, 7, 1, 3, 7, 1]

// Nine digits whose check digit is right, and not nine zeros, which would pass as well.
export function isRoutingNumber(text: string): boolean {
  if (!/^\d{9}$/.test(text) || Number(text) === 0) return false
  return weights.reduce((sum, weight, at) => sum + weight * Number(text[at]), 0) % 10 === 0
}
