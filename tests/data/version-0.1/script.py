"""Groups of patients.csv"""
import numpy as np
from mapdp_studio.core import Block, ColumnSpec, MAPDP, ReadOptions, Schema, read_table
from mapdp_studio.core.session.naming import Naming

frame = read_table('patients.csv', options=ReadOptions(delimiter=';'))
columns = [
    ColumnSpec('height', 'normal'),
    ColumnSpec('weight', 'normal'),
    ColumnSpec('crp', 'normal', transform='log'),
    ColumnSpec('stage', 'binomial', trials=3, offset=1),
    ColumnSpec('visits', 'poisson'),
    ColumnSpec('smokes', 'bernoulli'),
    ColumnSpec('clinic', 'categorical'),
]
schema = Schema(columns, [Block(name='size', family='gaussian', columns=('height', 'weight'))])
model = MAPDP(concentration=5.0, n_init=2, random_state=3).fit(frame, schema)
labels = model.labels_
labels = Naming(merged=((0, 1),)).apply(labels).labels
print(f"K = {labels.max() + 1}, rows in each: {np.bincount(labels)}")
np.savetxt("labels.csv", labels, fmt="%d", header="cluster", comments="")
