#!/usr/bin/env python3
"""novel_objects.py split DATASET.json OUT.json
novel_objects.py score OUT.json RESULTS.json...

How often captions name things that training never named: eight objects of COCO (Hendricks et al. 2016). `split` reads a
data set in Karpathy's form and writes one whose training images have no caption with a word of the eight; those that
had become test images. `score` reads captions (`saccade evaluate --out`) of images of that data set and prints how often
they name each object: precision, recall and F1, where an image has the objects that one of its references names. The
captions of several files count together.

    configs/novel_objects.py split dataset_coco_small.json novel.json
    saccade train configs/novel-objects.yaml --out runs/novel data.images=PHOTOS2 data.annotations=novel.json \\
      encoder.model=efficientnet_lite2.onnx
    saccade evaluate runs/novel --split val --no-ablations --out val.json
    saccade evaluate runs/novel --split test --no-ablations --out test.json
    configs/novel_objects.py score novel.json val.json test.json

and the same with --name-objects.
"""
import json
import sys

OBJECTS = {  # and the words that name them
    'bottle': 'bottle bottles', 'bus': 'bus buses busses', 'couch': 'couch couches sofa sofas',
    'microwave': 'microwave microwaves', 'pizza': 'pizza pizzas', 'racket': 'racket rackets racquet racquets',
    'suitcase': 'suitcase suitcases luggage luggages', 'zebra': 'zebra zebras'}


def named(words):
    words = set(words)
    return {name for name, forms in OBJECTS.items() if words & set(forms.split())}


def has(image):
    return named(word for sentence in image['sentences'] for word in sentence['tokens'])


def split(source, target):
    data = json.load(open(source))
    for image in data['images']:
        if image['split'] in ('train', 'restval') and has(image):
            image['split'] = 'test'
    json.dump(data, open(target, 'w'))
    for part in ('train', 'val', 'test'):
        images = [image for image in data['images'] if image['split'] == part]
        print(f'{part}: {len(images)} images, {sum(bool(has(image)) for image in images)} with one of the objects')


def score(source, files):
    images = {image.get('cocoid', image['imgid']): image for image in json.load(open(source))['images']}
    counts = {name: [0, 0, 0] for name in OBJECTS}  # named and there, named, there
    captions = [caption for file in files for caption in json.load(open(file))]
    for caption in captions:
        says, shows = named(caption['caption'].split()), has(images[caption['image_id']])
        for name, count in counts.items():
            count[0] += name in says & shows
            count[1] += name in says
            count[2] += name in shows
    print(f'{len(captions)} captions\n{"":12}precision   recall       F1   images')
    total = 0
    for name, (both, said, there) in counts.items():
        f1 = 2 * both / max(1, said + there)
        total += f1 / len(OBJECTS)
        print(f'{name:12}{both / max(1, said):9.3f}{both / max(1, there):9.3f}{f1:9.3f}{there:9}')
    print(f'{"mean":30}{total:9.3f}')


def main():
    if len(sys.argv) == 4 and sys.argv[1] == 'split':
        split(sys.argv[2], sys.argv[3])
    elif len(sys.argv) >= 4 and sys.argv[1] == 'score':
        score(sys.argv[2], sys.argv[3:])
    else:
        sys.exit(__doc__.strip())


if __name__ == '__main__':
    main()
