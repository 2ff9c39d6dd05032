// Marks that change the direction of the text around them without being seen. A text with one of them can be
// read as another text. Letters are written from right to left without them.
export const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
